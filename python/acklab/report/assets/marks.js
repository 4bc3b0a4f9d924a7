// The marks all charts share. Each draws only what is in sight, and no more of it than
// the dots can tell apart.
import { newPath } from "./svg.js";
import { h } from "./dom.js";
import { Extremes, eachColumn } from "./levels.js";
import { lowerBound, upperBound } from "./scale.js";
import { theme } from "./theme.js";

// A line that keeps each value until the next: rows [from, to) and the one before them.
// `key` names the values; the pyramid of a column is made once and kept with its table.
// `fill` colours the area below; after `until` the line is not drawn on.
export function stepLine(ctx, table, times, key, sx, sy, { fill = null, until = null } = {}) {
  const [t0, t1] = sx.domain;
  if (until !== null && until < t0) return;
  const from = Math.max(0, upperBound(times, t0) - 1);
  const to = lowerBound(times, t1, from);
  if (from >= times.length || (to <= from && from === 0 && times[0] > t1)) return;
  const right = sx(Math.min(t1, until === null ? t1 : until));
  if (to - from < 3 * (sx.range[1] - sx.range[0])) sharpSteps(ctx, table, times, key, sx, sy, from, to, right, fill);
  else crowdedSteps(ctx, table, times, key, sx, sy, from, to, right, fill);
}

function sharpSteps(ctx, table, times, key, sx, sy, from, to, right, fill) {
  const values = table[key];
  const path = newPath(ctx);
  let y = NaN;
  let firstX = NaN;
  let lastX = 0;
  for (let i = from; i < to; i++) {
    if (Number.isNaN(values[i])) continue;
    lastX = sx(times[i]);
    if (Number.isNaN(firstX)) {
      firstX = lastX;
      path.moveTo(lastX, sy(values[i]));
    } else path.lineTo(lastX, y);
    path.lineTo(lastX, (y = sy(values[i])));
  }
  if (Number.isNaN(firstX)) return;
  lastX = Math.max(lastX, right);
  path.lineTo(lastX, y);
  if (fill) {
    const area = newPath(ctx, path);
    area.lineTo(lastX, sy.range[0]);
    area.lineTo(firstX, sy.range[0]);
    area.closePath();
    ctx.fillStyle = fill;
    ctx.fill(area);
  }
  ctx.stroke(path);
}

// More changes than columns of dots: each column from its least to its greatest value,
// as upright rectangles, which cost a fraction of as many lines.
function crowdedSteps(ctx, table, times, key, sx, sy, from, to, right, fill) {
  const values = table[key];
  const pyramid = extremes(table, key);
  const line = ctx.lineWidth;
  const [on = 1, off = 0] = ctx.getLineDash();
  const ground = sy.range[0];
  let before = NaN;
  let reached = -Infinity;
  const bar = (x, width, low, high) => {
    const top = sy(high);
    if (fill) {
      ctx.fillStyle = fill;
      ctx.fillRect(x, top, width, ground - top);
    }
    ctx.fillStyle = ctx.strokeStyle;
    // A dashed line is one that leaves columns out.
    if (!off || x % (on + off) < on) ctx.fillRect(x, top - line / 2, width, sy(low) - top + line);
  };
  eachColumn(times, from, to, sx, (x, i, end) => {
    let [low, high] = pyramid.of(i, end);
    if (low > high) return;
    if (x > reached && !Number.isNaN(before)) bar(reached, x - reached, before, before);
    if (before < low) low = before;
    if (before > high) high = before;
    bar(x, 1, low, high);
    reached = x + 1;
    if (!Number.isNaN(values[end - 1])) before = values[end - 1];
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

export function dash(ctx, pattern, width = 1.5) {
  ctx.setLineDash(pattern);
  ctx.lineWidth = width;
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

// The sample of a legend: what the mark looks like, in 24 by 14 dots.
export function sample(kind, colour) {
  const scale = Math.min(3, window.devicePixelRatio || 1);
  const canvas = h("canvas", { width: 24 * scale, height: 14 * scale, "aria-hidden": "true" });
  const ctx = canvas.getContext("2d");
  ctx.scale(scale, scale);
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = 2;
  ctx.beginPath();
  if (kind === "line" || kind === "dashed" || kind === "dotted") {
    ctx.setLineDash(kind === "dashed" ? [5, 3] : kind === "dotted" ? [1.5, 2.5] : []);
    ctx.moveTo(1, 7);
    ctx.lineTo(23, 7);
  } else if (kind === "area") {
    ctx.globalAlpha = 0.3;
    ctx.fillRect(1, 3, 22, 10);
    ctx.globalAlpha = 1;
    ctx.moveTo(1, 3);
    ctx.lineTo(23, 3);
    ctx.lineWidth = 1;
  } else if (kind === "block") {
    ctx.fillRect(3, 2, 18, 10);
  } else if (kind === "tick") {
    for (const x of [6, 12, 18]) {
      ctx.moveTo(x, 15 - x / 1.6);
      ctx.lineTo(x, 9 - x / 1.6);
    }
  } else if (kind === "step") {
    ctx.moveTo(1, 12);
    ctx.lineTo(9, 12);
    ctx.lineTo(9, 7);
    ctx.lineTo(16, 7);
    ctx.lineTo(16, 3);
    ctx.lineTo(23, 3);
    ctx.lineWidth = 1.5;
  } else if (kind === "cross") {
    cross(ctx, 12, 7, 4);
  } else if (kind === "dot") {
    for (const [x, y] of [[5, 9], [12, 5], [19, 8]]) ctx.fillRect(x - 1.5, y - 1.5, 3, 3);
  } else if (kind === "down") {
    ctx.moveTo(6, 1);
    ctx.lineTo(18, 13);
  } else if (kind === "up") {
    ctx.moveTo(6, 13);
    ctx.lineTo(18, 1);
  } else {
    ctx.font = `bold 12px ${theme.sans}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(kind, 12, 7.5);
  }
  ctx.stroke();
  return canvas;
}
