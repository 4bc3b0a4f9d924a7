// The timeline diagram: the sender's edge above, the receiver's below, data slanting down,
// ACKs rising, time running along, and what does not fit one band goes on in the next.
import { chip, cued, h } from "./dom.js";
import { MINUS, NB, duration, exact, grouped } from "./format.js";
import { Frame } from "./frame.js";
import { linear, lowerBound, upperBound } from "./scale.js";
import { MOST_APART, ownColour, state } from "./state.js";
import { FATE, carried, fateOf, isAgain, itemParts, nextTime, openWays, timeRecords } from "./store.js";
import { theme } from "./theme.js";
import { drawRegion, lineOf, strokeLine } from "./timeline_draw.js";

const timelineSpec = {
  id: "timeline",
  title: "Timeline",
  about: "Upper edge: the sender. Lower edge: the receiver. Data slants down, ACKs rise; read the bands like lines of text. Where lines crowd, darker means more packets.",
  needs: "packets",
  ownColours: () => true,
  roles: [
    { key: "data", name: "data", sample: "down" },
    { key: "ack", name: "ACKs", sample: "up" },
    { key: "retransmit", name: "retransmissions", sample: "down", there: ({ data }) => data && data.again.index.length },
    { key: "drop", name: "lost on the way", sample: "cross", there: ({ data, ack }) => [data, ack].some((ways) => ways && ways.lost.index.length) },
  ],
  columns: [["sent", "s", 9], ["what", ""], ["number", "unit"], ["ended", "s", 9], ["fate", ""]],

  // Every flow has bands of its own, so the lines are in the roles' colours always.
  parts() {
    const parts = itemParts("packets", async (item) => ({ data: await openWays(item, "data"), ack: await openWays(item, "ack") })).map((part) => ({ ...part, colour: ownColour }));
    return state.compared ? parts : parts.filter((part) => banded(parts).has(part.id));
  },

  next(part, { data, ack }, t, direction) {
    const times = [data, ack].map((ways) => nextTime(ways?.sent_s, t, direction)).filter((time) => time !== null);
    return times.length ? (direction > 0 ? Math.min(...times) : Math.max(...times)) : null;
  },

  // By keyboard: the packet that left at this very moment.
  near(part, { data, ack }, x, y, sx, sy, frame) {
    const t = state.view.cursor;
    for (const ways of [data, ack]) {
      if (!ways) continue;
      const i = lowerBound(ways.sent_s, t);
      if (i < ways.rows && ways.sent_s[i] === t) return frame.wayTip(part, ways, i, ways === ack);
    }
    return null;
  },

  locate: ({ t, part }, frame) => frame.placeOf(part, t),

  records(part, { data, ack }, t0, t1, most) {
    const { fates } = state.manifest.names;
    const found = [data, ack].map((ways) => timeRecords(ways?.sent_s, t0, t1, most, (i) => {
      const what = ways === ack ? "ACK" : isAgain(ways, i) ? "retransmission" : "data";
      return [ways.sent_s[i], what, ways.number[i], ways.end[i], fates[fateOf(ways, i)]];
    }));
    return { count: found[0].count + found[1].count, records: found.flatMap(({ records }) => records) };
  },
};

const MOST_BANDS = 14;

// Which flows of a single run have bands: at first one of each group, but for what writes now and then; on a narrow screen a single one.
let chosen = null;

function banded(parts) {
  const there = parts.filter((part) => chosen?.has(part.id));
  const few = state.leftOut();
  const bulk = parts.filter((part) => !few.includes(part.item));
  const first = innerWidth <= 640 ? bulk.slice(0, 1) : bulk.filter((part, i) => bulk.findIndex((other) => other.group === part.group) === i);
  return new Set((there.length ? there : first).map((part) => part.id));
}

export class Timeline extends Frame {
  constructor() {
    super(timelineSpec);
    this.wanted = 0;
    this.count = h("output", { class: "bands", "aria-live": "off" });
    const change = (by) => {
      this.wanted = Math.min(MOST_BANDS * 3, Math.max(1, (this.wanted || this.bands) + by));
      this.invalidate();
    };
    this.extra.append(
      h("button", { type: "button", "aria-label": "Fewer bands", onclick: () => change(-1) }, MINUS), this.count,
      h("button", { type: "button", "aria-label": "More bands", onclick: () => change(1) }, "+"),
      h("button", { type: "button", onclick: () => ((this.wanted = 0), this.invalidate()) }, "Auto"));
    this.chips = cued(h("div", { class: "chips", role: "group", "aria-label": "Flows with bands" }));
    this.extra.append(this.chips);
  }

  // A switch for each flow, where there are more than have bands.
  async update() {
    const parts = itemParts("packets", async () => null);
    const many = !state.compared && parts.length > 1;
    this.chips.replaceChildren(...(many ? parts.slice(0, 14) : []).map((part) => chip(part.name, banded(parts).has(part.id), () => {
      chosen = banded(parts);
      if (!chosen.delete(part.id)) chosen.add(part.id);
      this.invalidate();
    }, part.slot)));
    await super.update();
  }

  // Until the reader stops moving the bands are drawn in haste.
  hurry() {
    this.hurried = true;
    clearTimeout(this.calm);
    this.calm = setTimeout(() => {
      this.hurried = false;
      this.invalidate();
    }, 180);
  }

  // One region of bands for each flow drawn; two side by side where there is room.
  layout() {
    const { view } = state;
    const width = (this.width = Math.max(280, this.plot.clientWidth));
    const parts = this.parts.slice(0, MOST_APART);
    this.said.textContent = parts.length < this.parts.length ? `The first ${parts.length} of ${this.parts.length} flows; switch others off to see the rest.` : "";
    const columns = parts.length === 2 && width > 900 ? 2 : 1;
    const gap = 28;
    const each = (width - gap * (columns - 1)) / columns;
    const left = width < 520 ? 40 : 62;
    const inner = each - left - 6;
    // The height stays the same at any zoom, so that the charts below stay where they are.
    const target = parts.length > 1 ? 420 : width < 520 ? 520 : 680;
    this.bands = this.wanted || this.pickBands(parts, inner, Math.floor(target / 46));
    this.length = this.bands === 1 ? view.span : roundUp(view.span / this.bands);
    const rows = Math.max(1, Math.ceil(view.span / this.length - 1e-6));
    const roomy = (target - rows * 46) / rows;
    const between = roomy > 80 ? 46 : 12;
    const tall = Math.max(34, roomy > 80 ? roomy : Math.min(80, (target - rows * between) / rows));
    const head = parts.length > 1 ? 26 : 8;
    let y = 0;
    let deepest = 0;
    this.regions = [];
    parts.forEach((part, i) => {
      const column = i % columns;
      if (column === 0 && i) {
        y += head + deepest * (tall + between) + 10;
        deepest = 0;
      }
      const { end_s: end } = state.manifest.runs[part.run];
      const x = column * (each + gap) + left;
      const bands = [];
      for (let k = 0; k < rows; k++) {
        const from = view.from + k * this.length;
        // No empty bands after the end of a run that was shorter than others.
        if (k > 0 && from > end) break;
        const to = Math.max(from, Math.min(from + this.length, view.to, end));
        const top = y + head + k * (tall + between) + between / 2;
        const sx = linear(from, from + this.length, x, x + inner);
        bands.push({ from, to, top, tall, x, w: sx(to) - x, sx });
      }
      deepest = Math.max(deepest, bands.length);
      this.regions.push({ part, bands, x, w: inner, y: y + 16, left });
    });
    this.panels = this.regions.map((region) => ({ parts: [region.part], box: { x: region.x, y: region.y, w: region.w, h: 1 }, sx: region.bands[0].sx }));
    this.height = parts.length ? y + head + deepest * (tall + between) + 14 : 60;
    this.plot.style.height = this.height + "px";
  }

  // Enough bands to leave some dots between the lines of the busiest flow.
  pickBands(parts, width, most) {
    const { view } = state;
    let busiest = 1;
    for (const part of parts) {
      const { data } = this.data.get(part.id);
      if (data) busiest = Math.max(busiest, upperBound(data.sent_s, view.to) - lowerBound(data.sent_s, view.from));
    }
    return Math.min(most, MOST_BANDS, Math.max(1, Math.ceil((busiest * 16) / width)));
  }

  draw() {
    super.draw();
    this.count.textContent = ` ${Math.max(0, ...this.regions.map((region) => region.bands.length))} × ${exact(Number(this.length.toPrecision(3)), 9)}${NB}s `;
  }

  paint(ctx) {
    for (const region of this.regions) drawRegion(ctx, region, this);
  }

  bandAt(x, y) {
    let best = null;
    for (const region of this.regions || []) {
      for (const band of region.bands) {
        const away = Math.max(band.top - y, y - band.top - band.tall, 0) + Math.max(region.x - region.left - x, x - region.x - region.w, 0);
        if (!best || away < best.away) best = { region, band, away };
      }
    }
    return best;
  }

  timeAt(x, y) {
    const at = this.bandAt(x, y);
    return at ? Math.min(Math.max(at.band.sx.back(x), state.view.from), state.view.to) : state.view.from;
  }

  places(from, to) {
    const [a, b] = [Math.min(from, to), Math.max(from, to)];
    const out = [];
    for (const region of this.regions || []) {
      for (const band of region.bands) {
        if (b < band.from || a > band.to) continue;
        const x0 = band.sx(Math.max(a, band.from));
        out.push({ x: x0, y: band.top, w: band.sx(Math.min(b, band.to)) - x0, h: band.tall });
      }
    }
    return out;
  }

  placeOf(part, t) {
    for (const region of this.regions) {
      if (region.part !== part) continue;
      for (const band of region.bands) if (t >= band.from && t <= band.to) return { x: band.sx(t), y: band.top };
    }
    return { x: 0, y: 0 };
  }

  // The line nearest to a place in a band.
  find(x, y) {
    const at = this.bandAt(x, y);
    if (!at || at.away > 14) return null;
    const { region, band } = at;
    const { data, ack } = this.data.get(region.part.id);
    const t = band.sx.back(x);
    let best = null;
    for (const ways of [data, ack]) {
      if (!ways || !this.on[ways === ack ? "ack" : "data"]) continue;
      const perDot = this.length / region.w;
      const to = upperBound(ways.sent_s, t + 4 * perDot);
      const from = Math.max(lowerBound(ways.sent_s, t - ways.longest - 4 * perDot), to - 20_000);
      for (let i = from; i < to; i++) {
        const line = lineOf(region.part, ways, i, ways === ack);
        const share = line.t1 > line.t0 ? Math.min(1, Math.max(0, (t - line.t0) / (line.t1 - line.t0))) : 0;
        const [px, py] = [band.sx(line.t0 + share * (line.t1 - line.t0)), band.top + band.tall * (line.y0 + share * (line.y1 - line.y0))];
        const away = Math.hypot(px - x, py - y);
        if (away < 9 && (!best || away < best.away)) best = { away, ways, i };
      }
    }
    return best && this.wayTip(region.part, best.ways, best.i, best.ways === ack);
  }

  wayTip(part, ways, i, isAck) {
    const { fates } = state.manifest.names;
    const fate = fateOf(ways, i);
    const what = isAck ? `ACK ${grouped(ways.number[i])}` : carried(part.item, ways, i);
    const rows = [["left", exact(ways.sent_s[i]) + NB + "s"]];
    if (fate === FATE.delivered) rows.push(["arrived", exact(ways.end[i]) + NB + "s"], ["took", duration(ways.took_s[i])]);
    else rows.push(["fate", fates[fate] + (Number.isNaN(ways.end[i]) ? "" : " at " + exact(ways.end[i]) + NB + "s")]);
    if (fate !== FATE.delivered && fate !== FATE.flying) rows.push(["where", (Object.keys(part.item.depths[isAck ? "ack" : "data"])[ways.link[i] - 1] || "").replace("->", "→")]);
    const paint = (ctx) => {
      const line = lineOf(part, ways, i, isAck);
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 2.5;
      for (const region of this.regions) {
        if (region.part.id !== part.id) continue;
        for (const band of region.bands) strokeLine(ctx, band, line);
      }
    };
    return { away: 0, title: (state.several ? part.name + ": " : "") + what, rows, paint };
  }
}

// Round lengths, finer than those of axes, so that bands are well filled.
function roundUp(span) {
  const power = Math.pow(10, Math.floor(Math.log10(span)));
  for (const m of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) if (m * power >= span * 0.999999) return m * power;
  return span;
}
