// The marks all charts share. Each draws only what is in sight, and no more of it than
// the dots can tell apart.
import { h } from "./dom.js";
import { Extremes, eachColumn } from "./levels.js";
import { lowerBound, upperBound } from "./scale.js";

// A line that keeps each value until the next, or until a value is missing: rows [from, to) and the one before them.
// `key` names the values; the pyramid of a column is made once and kept with its table.
// `fill` is how dark the area below is; after `until` the line is not drawn on.
export function stepLine(ctx, table, times, key, sx, sy, { fill = 0, until = Infinity } = {}) {
  const [t0, t1] = sx.domain;
  if (until < t0) return;
  const from = Math.max(0, upperBound(times, t0) - 1);
  const to = lowerBound(times, t1, from);
  const right = sx(Math.min(t1, until));
  if (to - from < 3 * (sx.range[1] - sx.range[0])) sharpSteps(ctx, times, table[key], sx, sy, from, to, right, fill);
  else crowdedSteps(ctx, table, times, key, sx, sy, from, to, right, fill);
}

// A path through some points.
export function trace(ctx, points) {
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
}

// The area between a line and the ground.
export function fillBelow(ctx, points, ground, alpha) {
  const before = ctx.globalAlpha;
  ctx.globalAlpha = alpha;
  trace(ctx, [[points[0][0], ground], ...points, [points.at(-1)[0], ground]]);
  ctx.fill();
  ctx.globalAlpha = before;
}

function sharpSteps(ctx, times, values, sx, sy, from, to, right, fill) {
  let line = [];
  const end = (x) => {
    if (!line.length) return;
    line.push([x, line.at(-1)[1]]);
    if (fill) fillBelow(ctx, line, sy.range[0], fill);
    trace(ctx, line);
    ctx.stroke();
    line = [];
  };
  for (let i = from; i < to; i++) {
    const [x, y] = [sx(times[i]), sy(values[i])];
    if (Number.isNaN(y)) end(x);
    else if (line.length) line.push([x, line.at(-1)[1]], [x, y]);
    else line.push([x, y]);
  }
  if (line.length) end(Math.max(line.at(-1)[0], right));
}

// More changes than columns of dots: each column from its least to its greatest value,
// as upright rectangles, which cost a fraction of as many lines.
function crowdedSteps(ctx, table, times, key, sx, sy, from, to, right, fill) {
  const values = table[key];
  const pyramid = extremes(table, key);
  const [line, alpha] = [ctx.lineWidth, ctx.globalAlpha];
  const [on = 1, off = 0] = ctx.getLineDash();
  const ground = sy.range[0];
  let before = NaN;
  let reached = -Infinity;
  const bar = (x, width, low, high) => {
    const top = sy(high);
    if (fill) {
      ctx.globalAlpha = fill;
      ctx.fillRect(x, top, width, ground - top);
      ctx.globalAlpha = alpha;
    }
    // A dashed line is one that leaves columns out.
    if (!off || x % (on + off) < on) ctx.fillRect(x, top - line / 2, width, sy(low) - top + line);
  };
  ctx.fillStyle = ctx.strokeStyle;
  eachColumn(times, from, to, sx, (x, i, end) => {
    let [low, high] = pyramid.of(i, end);
    if (x > reached && !Number.isNaN(before)) bar(reached, x - reached, before, before);
    if (before < low) low = before;
    if (before > high) high = before;
    if (low <= high) bar(x, 1, low, high);
    reached = x + 1;
    before = values[end - 1];
  });
  if (right > reached && !Number.isNaN(before)) bar(reached, right - reached, before, before);
}

export function extremes(table, key) {
  const name = "_extremes_" + key;
  return (table[name] ||= new Extremes(table[key]));
}

// Least and greatest of a step line in sight, the value it comes in with included.
export function stepRange(table, times, key, t0, t1) {
  const from = Math.max(0, upperBound(times, t0) - 1);
  return extremes(table, key).of(from, lowerBound(times, t1, from));
}

// The row of a step line that holds at time t, or -1 before the first.
export const rowAt = (times, t) => upperBound(times, t) - 1;

// The rows [from, to) whose times are in sight.
export const inSight = (times, sx) => [lowerBound(times, sx.domain[0]), upperBound(times, sx.domain[1])];

// A dashed line across a panel.
export function drawLevel(ctx, box, y) {
  ctx.setLineDash([6, 4]);
  trace(ctx, [[box.x, y], [box.x + box.w, y]]);
  ctx.stroke();
  ctx.setLineDash([]);
}

export function cross(ctx, x, y, r = 4) {
  ctx.moveTo(x - r, y - r);
  ctx.lineTo(x + r, y + r);
  ctx.moveTo(x - r, y + r);
  ctx.lineTo(x + r, y - r);
}

// Marks at most one a cell of `size` dots, so that a thousand marks in a row stay one row of marks.
export function sparse(size, draw) {
  const taken = new Set();
  return (x, y) => {
    const cell = Math.floor(x / size) * 65536 + Math.floor(y / size);
    if (taken.has(cell)) return;
    taken.add(cell);
    draw(x, y);
  };
}

const SAMPLES = {
  line: '<path d="M1 7h22"/>',
  dashed: '<path d="M1 7h22" stroke-dasharray="5 3"/>',
  area: '<path d="M1 8h22" stroke-width="10" opacity="0.3"/><path d="M1 3h22" stroke-width="1"/>',
  block: '<path d="M3 7h18" stroke-width="10"/>',
  tick: '<path d="M6 11.3v-6M12 7.5v-6M18 3.8v-6"/>',
  step: '<path d="M1 12h8v-5h7v-4h7" stroke-width="1.5"/>',
  cross: '<path d="M8 3l8 8m-8 0l8 -8"/>',
  dot: '<path d="M3.5 9h3m4 -4h3m4 3h3" stroke-width="3"/>',
  down: '<path d="M6 1l12 12"/>',
  up: '<path d="M6 13l12 -12"/>',
};

// The sample of a legend: what the mark looks like, or its letters.
export function sample(kind, colour) {
  const shape = SAMPLES[kind] || `<text x="12" y="12" text-anchor="middle" stroke="none">${kind}</text>`;
  const element = h("span", { class: "sample", "aria-hidden": "true", style: { color: colour } });
  element.innerHTML = `<svg viewBox="0 0 24 14">${shape}</svg>`;
  return element;
}
