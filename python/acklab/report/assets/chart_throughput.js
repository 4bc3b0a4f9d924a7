// Goodput in bins. The bins grow and shrink with the zoom; each is the exact number of
// bytes that came in order within it, from the running total, divided by its length.
import { setFont } from "./axes.js";
import { NB, duration, exact, si } from "./format.js";
import { drawLevel, fillBelow, trace } from "./marks.js";
import { niceStep, upperBound } from "./scale.js";
import { state } from "./state.js";
import { itemParts, openItem } from "./store.js";
import { theme } from "./theme.js";

// How many times the slowest link's rate the chart reaches at most.
const ROOM = 1.6;

export const throughputChart = {
  id: "throughput",
  title: "Goodput",
  about: "Payload the receiver got in order, averaged over bins that follow the zoom. A repaired hole lets all that waited behind it count at once: such a bin may leave the chart at the top, with its value.",
  needs: "packets",
  height: 210,
  ownScale: true,
  bulk: true,
  gather: true,
  axis: () => ({ ...state.manifest.axes.throughput, label: `${state.manifest.axes.throughput.label} in bins of ${duration(binLength())}` }),
  roles: [
    { key: "goodput", name: "goodput", sample: "area" },
    { key: "sum", name: "together", sample: "line", there: (data, part, frame) => panelOf(part, frame).length > 1, about: "goodput of the flows of a panel together" },
    { key: "capacity", name: "slowest link", sample: "dashed", value: ({ item }) => item.capacity_link && `${item.capacity_link} ${si(item.capacity_bps)}b/s`, about: "rate of the slowest link on the data's way, headers included; a bin counts whole packets, so that it may lie above by one packet" },
  ],
  columns: [["bin starts", "s", 6], ["bin ends", "s", 6], ["goodput", "b/s", 0]],

  parts: () => itemParts("packets", async (item) => {
    const { progress } = await openItem(item, ["progress"]);
    return progress && { progress };
  }, true),

  range(part, { progress }, t0, t1, frame) {
    const others = frame.on.sum ? panelOf(part, frame) : [];
    const bins = others.length > 1 && others[0] === part ? sumOf(others, (other) => frame.data.get(other.id), t0, t1) : binsOf(progress, t0, t1);
    const rates = bins.map((bin) => bin.rate).filter((rate) => rate > 0);
    const high = rates.reduce((a, b) => Math.max(a, b), 0);
    const capacity = part.item.capacity_bps;
    if (!capacity) return [0, high];
    // A few bins that count what waited behind a hole do not flatten the others.
    if (rates.filter((rate) => rate > ROOM * capacity).length <= rates.length / 10) return [0, Math.max(Math.min(high, ROOM * capacity), capacity < high * 4 ? capacity : 0)];
    // The link's rate is shown when it is of the same order as the goodput.
    return [0, capacity < high * 4 ? Math.max(high, capacity) : high];
  },

  draw(ctx, part, { progress }, box, sx, sy, frame) {
    const capacity = part.item.capacity_bps;
    if (frame.on.capacity && capacity) {
      ctx.strokeStyle = theme["ink-3"];
      ctx.lineWidth = 1.2;
      drawLevel(ctx, box, sy(capacity));
    }
    const line = linePast(binsOf(progress, sx.domain[0], Math.min(sx.domain[1], part.item.end_s)), sx, sy);
    if (!frame.on.goodput || !line.length) return;
    ctx.strokeStyle = ctx.fillStyle = part.colour("goodput");
    ctx.lineWidth = 1.6 + 1.5 * frame.under;
    if (frame.parts.length < 3 || state.eachApart()) fillBelow(ctx, line, sy(0), 0.14);
    trace(ctx, line);
    ctx.stroke();
  },

  over(ctx, parts, data, box, sx, sy, frame) {
    if (frame.on.sum && panelOf(parts[0], frame).length > 1) {
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 1.4;
      trace(ctx, linePast(sumOf(parts, data, sx.domain[0], sx.domain[1]), sx, sy));
      ctx.stroke();
    }
    if (frame.on.goodput) outside(ctx, parts.flatMap((part) => beyond(part, data(part).progress, box, sx, sy)), box);
  },

  near(part, { progress }, x, y, sx) {
    const t = sx.back(x);
    const length = binLength();
    const from = Math.floor(t / length) * length;
    if (t < 0 || t > state.view.end) return null;
    const bin = binAt(progress, from, Math.min(from + length, state.view.end));
    return {
      away: 0, title: `${exact(from, 6)} to ${exact(bin.to, 6)}${NB}s`,
      rows: [[(state.several ? part.name + " " : "") + "goodput", si(bin.rate, 4) + "b/s", part.colour("goodput")], [(state.several ? part.name + " " : "") + "by then", si(bin.total, 4) + "B"]],
    };
  },

  next(part, data, t, direction) {
    const length = binLength();
    const to = (Math.floor(t / length + 1e-9) + direction) * length + length / 2;
    return to >= 0 && to <= state.view.end ? to : null;
  },

  records(part, { progress }, t0, t1, most) {
    const bins = binsOf(progress, t0, t1);
    return { count: bins.length, records: bins.slice(0, most).map((bin) => [bin.from, bin.to, bin.rate]) };
  },
};

const linePast = (bins, sx, sy) => bins.flatMap((bin) => [[sx(bin.from), sy(bin.rate)], [sx(bin.to), sy(bin.rate)]]);

// The flows that share a part's panel, where they add up: those of one run that compete.
function panelOf(part, frame) {
  return state.compared || state.apart ? [part] : frame.parts.filter((other) => other.group === part.group && other.run === part.run);
}

// Their goodput together, bin by bin.
function sumOf(parts, data, t0, t1) {
  const each = parts.map((part) => binsOf(data(part).progress, t0, t1));
  return each[0].map((bin, n) => ({ ...bin, rate: each.reduce((sum, bins) => sum + bins[n].rate, 0) }));
}

// The bins of a flow that leave the chart at the top: of neighbours the highest, with the place of all of them.
function beyond(part, progress, box, sx, sy) {
  const out = binsOf(progress, sx.domain[0], sx.domain[1]).filter((bin) => bin.rate > sy.domain[1]);
  const found = [];
  for (const bin of out) {
    const last = found[found.length - 1];
    const [from, to] = [Math.max(box.x, sx(bin.from)), sx(bin.to)];
    if (!last || from - last.from > 90) found.push({ from, to, rate: bin.rate, colour: part.colour("goodput") });
    else Object.assign(last, { to, rate: Math.max(last.rate, bin.rate) });
  }
  return found;
}

// Their values, each beside its bins where it covers no other one; the highest have the first choice, and what finds no room is left to the pointer.
function outside(ctx, found, box) {
  setFont(ctx);
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  const taken = [];
  for (const { from, to, rate, colour } of found.sort((a, b) => b.rate - a.rate)) {
    const text = `↑ ${si(rate)}b/s`;
    const wide = ctx.measureText(text).width;
    const places = [0, 1, 2].flatMap((row) => [from - wide - 4, to + 4].map((x) => ({ x, y: box.y + 2 + 16 * row })));
    const free = places.find(({ x, y }) => x >= box.x && x + wide <= box.x + box.w && !taken.some((other) => other.y === y && x < other.x + other.wide + 6 && other.x < x + wide + 6));
    if (!free) continue;
    taken.push({ ...free, wide });
    ctx.fillStyle = theme.surface;
    ctx.fillRect(free.x - 2, free.y - 1, wide + 4, 15);
    ctx.fillStyle = colour;
    ctx.fillText(text, free.x, free.y);
  }
}

// About one bin for every eight dots, the same for all charts.
function binLength() {
  return wholePackets(niceStep(state.view.span, 120));
}

// The nearest whole number of times that the slowest link takes to send a packet: a full link is then a level line. Where flows differ, as it was.
export function wholePackets(length) {
  const [packet, ...others] = new Set(state.manifest.items.map((item) => item.packet_s));
  return packet && !others.length ? packet * Math.max(1, Math.round(length / packet)) : length;
}

function binsOf(progress, t0, t1) {
  const length = binLength();
  const out = [];
  const first = Math.max(0, Math.floor(t0 / length + 1e-9));
  for (let n = first; n * length < t1 - length * 1e-9; n++) {
    out.push(binAt(progress, n * length, Math.min((n + 1) * length, state.view.end)));
  }
  return out;
}

export function binAt(progress, from, to) {
  // What comes exactly at an edge belongs to the bin that ends there.
  const bytesBy = (t) => {
    const i = upperBound(progress.time_s, t) - 1;
    return i < 0 ? 0 : progress.bytes[i];
  };
  const total = bytesBy(to);
  return { from, to, total, rate: ((total - bytesBy(from)) * 8) / (to - from) };
}
