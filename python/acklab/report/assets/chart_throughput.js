// Goodput in bins. The bins grow and shrink with the zoom; each is the exact number of
// bytes that came in order within it, from the running total, divided by its length.
import { setFont } from "./axes.js";
import { newPath } from "./svg.js";
import { itemParts } from "./chart_sequence.js";
import { withAlpha } from "./chart_window.js";
import { NB, duration, exact, si } from "./format.js";
import { dash } from "./marks.js";
import { niceStep, upperBound } from "./scale.js";
import { state } from "./state.js";
import { openItem } from "./store.js";
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
    { key: "capacity", name: "slowest link", sample: "dashed", value: ({ item }) => item.capacity_link && `${item.capacity_link} ${si(item.capacity_bps)}b/s`, about: "rate of the slowest link on the data's way, headers included" },
  ],
  columns: [["bin starts", "s", 6], ["bin ends", "s", 6], ["goodput", "b/s", 0]],

  parts: () => itemParts("packets", async (item) => {
    const { progress } = await openItem(item, ["progress"]);
    return progress && { progress };
  }, true),

  range(part, { progress }, t0, t1) {
    const rates = binsOf(progress, t0, t1).map((bin) => bin.rate).filter((rate) => rate > 0);
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
      dash(ctx, [6, 4], 1.2);
      ctx.beginPath();
      ctx.moveTo(box.x, sy(capacity));
      ctx.lineTo(box.x + box.w, sy(capacity));
      ctx.stroke();
      ctx.setLineDash([]);
    }
    if (!frame.on.goodput) return;
    const line = newPath(ctx);
    let first = true;
    let end = box.x;
    for (const bin of binsOf(progress, sx.domain[0], Math.min(sx.domain[1], part.item.end_s))) {
      const y = sy(bin.rate);
      if (first) line.moveTo(sx(bin.from), y);
      line.lineTo(sx(bin.from), y);
      line.lineTo((end = sx(bin.to)), y);
      first = false;
    }
    ctx.strokeStyle = part.colour("goodput");
    ctx.lineWidth = 1.6 + 1.5 * frame.under;
    if (frame.parts.length < 3 || state.eachApart()) {
      const area = newPath(ctx, line);
      area.lineTo(end, sy(0));
      area.lineTo(box.x - 5, sy(0));
      ctx.fillStyle = withAlpha(part.colour("goodput"), 0.14);
      ctx.fill(area);
    }
    ctx.stroke(line);
    outside(ctx, part, binsOf(progress, sx.domain[0], sx.domain[1]), box, sx, sy);
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

// The values of bins that leave the chart: of neighbours the highest.
function outside(ctx, part, bins, box, sx, sy) {
  setFont(ctx);
  ctx.fillStyle = part.colour("goodput");
  ctx.textBaseline = "top";
  const beyond = bins.filter((bin) => bin.rate > sy.domain[1]);
  let last = -Infinity;
  for (const bin of beyond) {
    const near = beyond.filter((other) => Math.abs(sx(other.from) - sx(bin.from)) < 90);
    if (sx(bin.from) - last < 90 || near.some((other) => other.rate > bin.rate)) continue;
    // Beside the bins that leave the chart there, at the left where there is room.
    const [first, end] = [sx(near[0].from), sx(near[near.length - 1].to)];
    const right = first - 90 < box.x;
    ctx.textAlign = right ? "left" : "right";
    ctx.fillText(`↑ ${si(bin.rate)}b/s`, right ? end + 4 : first - 4, box.y + 2);
    last = sx(bin.from);
  }
}

// About one bin for every eight dots, of a round length that is the same for all charts.
function binLength() {
  return niceStep(state.view.span, 120);
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
