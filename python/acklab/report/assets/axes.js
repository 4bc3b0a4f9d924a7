// Grid lines, tick labels and the panel's name, on a canvas.
import { NB, exact, prefixFor, tickLabels } from "./format.js";
import { logTicks, niceStep, ticksOf } from "./scale.js";
import { theme } from "./theme.js";

const FONT = 12;

export function setFont(ctx, size = FONT, weight = "") {
  ctx.font = `${weight} ${size}px ${theme.sans}`.trim();
}

// The time axis under a panel.
export function drawTimeAxis(ctx, box, sx, labelled) {
  const [from, to] = sx.domain;
  const step = niceStep(to - from, Math.max(2, Math.floor(box.w / 90)));
  const ticks = ticksOf(from, to, step);
  ctx.strokeStyle = theme["line-2"];
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const t of ticks) {
    const x = Math.round(sx(t)) + 0.5;
    ctx.moveTo(x, box.y);
    ctx.lineTo(x, box.y + box.h);
  }
  ctx.stroke();
  if (!labelled) return;
  setFont(ctx);
  ctx.fillStyle = theme["ink-3"];
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  const labels = tickLabels(ticks, step);
  const unit = NB + "s";
  ticks.forEach((t, i) => {
    const text = labels[i] + unit;
    const half = ctx.measureText(text).width / 2;
    // The last one stays inside the canvas, whose margin is narrow on a phone.
    const x = sx(t) + half > box.x + box.w + 10 ? Infinity : Math.min(sx(t), box.x + box.w + 5 - half);
    if (x - half > box.x - 30 && x < Infinity) ctx.fillText(text, x, box.y + box.h + 7);
  });
}

/**
 * The factor and the name of the unit in which an axis up to `top` is labelled.
 * @returns {[number, string]}
 */
function unitOf(axis, top) {
  const [factor, prefix] = axis.si ? prefixFor(top) : [1, ""];
  return [factor, prefix + axis.unit];
}

// An axis' title with the unit of its labels.
export function axisTitle(axis, top) {
  return axis.si ? axis.label.replace(`(${axis.unit})`, `(${unitOf(axis, top)[1]})`) : axis.label;
}

// The value axis at the left of a panel; a band has none.
export function drawValueAxis(ctx, box, sy, axis) {
  if (axis.band) return;
  const [from, to] = sy.domain;
  const most = Math.max(2, Math.floor(box.h / (box.h < 160 ? 40 : 46)));
  let step = niceStep(to - from, most);
  if (axis.whole) step = Math.max(1, step);
  const ticks = axis.log ? logTicks(from, to, most) : ticksOf(from, to, step);
  ctx.strokeStyle = theme["line-2"];
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const v of ticks) {
    const y = Math.round(sy(v)) + 0.5;
    ctx.moveTo(box.x, y);
    ctx.lineTo(box.x + box.w, y);
  }
  ctx.stroke();
  setFont(ctx);
  ctx.fillStyle = theme["ink-3"];
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const labels = axis.log ? ticks.map((v) => exact(v)) : tickLabels(ticks, step, unitOf(axis, to)[0]);
  ticks.forEach((v, i) => {
    const y = sy(v);
    if (y > box.y + 4 && y < box.y + box.h + 4) ctx.fillText(labels[i], box.x - 8, y);
  });
}

// Frame line at the left and bottom; the panel's name and the axis' title above.
export function drawPanelFrame(ctx, box, title, name, colour) {
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(box.x - 0.5, box.y);
  ctx.lineTo(box.x - 0.5, box.y + box.h + 0.5);
  ctx.lineTo(box.x + box.w, box.y + box.h + 0.5);
  ctx.stroke();
  let x = box.x - box.left + 2;
  if (name) x = drawName(ctx, name, colour, x, box.y - 8) + 12;
  setFont(ctx, FONT);
  ctx.fillStyle = theme["ink-3"];
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  // Beside a long name the axis says what and its unit; the chart's first words say the rest.
  const fits = x + ctx.measureText(title).width <= box.x + box.w;
  ctx.fillText(fits ? title : title.replace(/\).*/, ")"), x, box.y - 8);
}

// A swatch and a name; returns where they end.
export function drawName(ctx, name, colour, x, y) {
  // The name of several flows has no colour of its own.
  const room = colour ? 17 : 0;
  if (colour) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    ctx.roundRect(x, y - 9.5, 11, 11, 3);
    ctx.fill();
  }
  setFont(ctx, 13, "600");
  ctx.fillStyle = theme.ink;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.fillText(name, x + room, y);
  return x + room + ctx.measureText(name).width;
}

export function clipTo(ctx, box, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x, box.y - 1, box.w + 3, box.h + 2);
  ctx.clip();
  draw();
  ctx.restore();
}
