// Drawing the bands of a timeline.
import { drawName, setFont } from "./axes.js";
import { NB, grouped, tickLabels } from "./format.js";
import { eachColumn } from "./levels.js";
import { cross, sparse } from "./marks.js";
import { lowerBound, niceStep, ticksOf, upperBound } from "./scale.js";
import { state } from "./state.js";
import { FATE, fateOf, isAgain } from "./store.js";
import { theme } from "./theme.js";

const SHADES = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95];

// A packet's line: times and heights (0 = sender's edge, 1 = receiver's) of its two ends.
export function lineOf(part, ways, i, isAck) {
  const fate = fateOf(ways, i);
  const t0 = ways.sent_s[i];
  // A packet on the way when the run ends would have arrived later. It takes as long as the last one that arrived, and the
  // band's end cuts its line.
  const stop = state.manifest.runs[part.run].end_s;
  const known = fate !== FATE.flying || !Number.isNaN(ways.lastTook);
  const t1 = fate !== FATE.flying ? ways.end[i] : known ? Math.max(stop, t0 + ways.lastTook) : stop;
  let reach = known ? 1 : 0.5;
  if (fate !== FATE.flying && fate !== FATE.delivered) reach = depthOf(part.item, isAck ? "ack" : "data", ways.link[i]);
  return isAck ? { t0, t1, y0: 1, y1: 1 - reach } : { t0, t1, y0: 0, y1: reach };
}

function depthOf(item, kind, link) {
  const depths = Object.values(item.depths[kind]);
  return depths[link - 1] ?? 0.5;
}

// The piece of a line inside a band, in dots; null if it is not there.
function pieceIn(band, line) {
  if (line.t1 < band.from || line.t0 > band.to) return null;
  const took = line.t1 - line.t0;
  const at = (t) => band.top + band.tall * (took > 0 ? line.y0 + ((t - line.t0) / took) * (line.y1 - line.y0) : line.y1);
  const a = Math.max(line.t0, band.from);
  const b = Math.min(line.t1, band.to);
  return { x0: band.sx(a), y0: took > 0 ? at(a) : band.top + band.tall * line.y0, x1: band.sx(b), y1: at(b), ends: line.t1 <= band.to };
}

export function strokeLine(ctx, band, line) {
  const piece = pieceIn(band, line);
  if (!piece) return;
  ctx.beginPath();
  ctx.moveTo(piece.x0, piece.y0);
  ctx.lineTo(piece.x1, piece.y1);
  ctx.stroke();
}

export function drawRegion(ctx, region, frame) {
  const { part, bands } = region;
  const { data, ack } = frame.data.get(part.id);
  if (frame.regions.length > 1) drawName(ctx, part.name, theme.slots[part.slot], region.x - region.left + 2, region.y);
  bands.forEach((band, k) => {
    drawBand(ctx, band, region, k, frame);
    ctx.save();
    ctx.beginPath();
    ctx.rect(band.x - 12, band.top - 15, band.w + 18, band.tall + 30);
    ctx.clip();
    if (ack && frame.on.ack) drawWays(ctx, band, part, ack, true, frame);
    if (data && frame.on.data) drawWays(ctx, band, part, data, false, frame);
    if (data && frame.on.retransmit) drawSome(ctx, band, part, data, data.again, false, part.colour("retransmit"), 1.6);
    if (frame.on.drop) for (const ways of [data, ack]) if (ways) drawEnds(ctx, band, part, ways, ways === ack);
    ctx.restore();
  });
}

// The band's two edges, its name and time, ticks on the sender's edge.
function drawBand(ctx, band, region, k, frame) {
  ctx.fillStyle = theme["line-2"];
  ctx.globalAlpha = 0.45;
  ctx.fillRect(band.x, band.top, band.w, band.tall);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = theme["ink-3"];
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const y of [band.top, band.top + band.tall]) {
    ctx.moveTo(band.x, Math.round(y) + 0.5);
    ctx.lineTo(band.x + band.w, Math.round(y) + 0.5);
  }
  const step = niceStep(frame.length, Math.max(2, Math.floor(region.w / 90)));
  const ticks = ticksOf(band.from, band.to, step);
  for (const t of ticks) {
    const x = Math.round(band.sx(t)) + 0.5;
    ctx.moveTo(x, band.top + band.tall);
    ctx.lineTo(x, band.top + band.tall + 4);
  }
  ctx.stroke();
  setFont(ctx, 11);
  ctx.fillStyle = theme["ink-3"];
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  const wide = region.left > 50;
  const tall = band.tall > 80;
  if (tall && wide) {
    ctx.fillText("sender", band.x - 8, band.top + 1);
    ctx.fillText("receiver", band.x - 8, band.top + band.tall - 1);
  } else if (wide && k === 0) {
    ctx.textBaseline = "alphabetic";
    ctx.fillText("sender", band.x - 8, band.top + 4);
    ctx.fillText("receiver", band.x - 8, band.top + band.tall + 4);
    ctx.textBaseline = "middle";
  }
  const decimals = Math.max(0, Math.ceil(-Math.log10(frame.length)) + 1);
  ctx.fillStyle = theme["ink-2"];
  ctx.fillText(band.from.toFixed(decimals) + (wide ? NB + "s" : ""), band.x - 8, band.top + band.tall / 2);
  if (!tall) return;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.fillStyle = theme["ink-3"];
  const labels = tickLabels(ticks, step);
  ticks.forEach((t, i) => {
    const x = band.sx(t);
    if (x > band.x + 14 && x < band.x + band.w - 14) ctx.fillText(labels[i], x, band.top + band.tall + 16);
  });
}

// The rows of `ways` that touch a band.
function rowsIn(column, band, longest) {
  return [lowerBound(column, band.from - longest), upperBound(column, band.to)];
}

function drawWays(ctx, band, part, ways, isAck, frame) {
  const [from, to] = rowsIn(ways.sent_s, band, ways.longest);
  ctx.strokeStyle = ctx.fillStyle = part.colour(isAck ? "ack" : "data");
  // While the reader moves about, speed counts more than the last line.
  if (to - from > (frame.hurried ? 0.25 : 0.8) * band.w) return drawCrowd(ctx, band, part, ways, isAck, from, to, frame.hurried ? 5 : 2);
  const few = (to - from) * 16 < band.w;
  ctx.lineWidth = few ? 1.3 : 1;
  ctx.globalAlpha = (to - from) * 3 > band.w ? 0.6 : 0.85;
  ctx.beginPath();
  for (let i = from; i < to; i++) {
    if (!isAck && isAgain(ways, i)) continue;
    const piece = pieceIn(band, lineOf(part, ways, i, isAck));
    if (!piece) continue;
    ctx.moveTo(piece.x0, piece.y0);
    ctx.lineTo(piece.x1, piece.y1);
    if (few && piece.ends && fateOf(ways, i) === FATE.delivered) arrowHead(ctx, piece);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
  if (band.tall > 80) labelWays(ctx, band, ways, isAck, from, to, frame);
}

function arrowHead(ctx, { x0, y0, x1, y1 }) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  for (const turn of [0.42, -0.42]) {
    ctx.moveTo(x1, y1);
    ctx.lineTo(x1 - 6 * Math.cos(angle + turn), y1 - 6 * Math.sin(angle + turn));
  }
}

// The numbers at the edge a packet leaves, where they do not run into each other.
function labelWays(ctx, band, ways, isAck, from, to, frame) {
  setFont(ctx, 11);
  ctx.textAlign = "center";
  ctx.textBaseline = isAck ? "top" : "bottom";
  const y = isAck ? band.top + band.tall + 4 : band.top - 3;
  let free = -Infinity;
  const perDot = frame.length / band.w;
  // Labels only where most of them fit: a few picked at random would mislead.
  const room = ctx.measureText(grouped(ways.number[Math.max(from, to - 1)] || 0)).width + 6;
  if ((to - from) * room > 1.6 * band.w || perDot <= 0) return;
  for (let i = from; i < to; i++) {
    const x = band.sx(ways.sent_s[i]);
    const text = grouped(ways.number[i]);
    const half = ctx.measureText(text).width / 2;
    if (x - half < free || x < band.x) continue;
    ctx.fillText(text, x, y);
    free = x + half + 5;
  }
}

// Too many for lines of their own: one for each `wide` columns of dots, the darker the
// more packets it stands for, half dark for as many as the stretch in sight has on average.
function drawCrowd(ctx, band, part, ways, isAck, from, to, wide) {
  const { view } = state;
  const inSight = upperBound(ways.sent_s, view.to) - lowerBound(ways.sent_s, view.from);
  const usual = (inSight * wide) / (view.span * band.sx.k);
  const shades = SHADES.map(() => []);
  eachColumn(ways.sent_s, from, to, band.sx, (x, i, end) => {
    const piece = pieceIn(band, lineOf(part, ways, (i + end) >> 1, isAck));
    if (piece) shades[Math.min(SHADES.length - 1, Math.floor(((end - i) / usual) * 2.5))].push(piece);
  }, wide);
  ctx.lineWidth = wide > 2 ? 2 : 1.5;
  shades.forEach((pieces, k) => {
    ctx.globalAlpha = SHADES[k];
    ctx.beginPath();
    for (const { x0, y0, x1, y1 } of pieces) {
      // All but upright is drawn upright: rectangles cost a fraction of lines.
      if (Math.abs(x1 - x0) < 3) ctx.fillRect(Math.min(x0, x1), Math.min(y0, y1), wide, Math.abs(y1 - y0));
      else {
        ctx.moveTo(x0, y0);
        ctx.lineTo(x1, y1);
      }
    }
    ctx.stroke();
  });
  ctx.globalAlpha = 1;
}

function drawSome(ctx, band, part, ways, rows, isAck, colour, width) {
  const [from, to] = rowsIn(rows.sent, band, ways.longest);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  let last = -1;
  for (let k = from; k < to; k++) {
    const piece = pieceIn(band, lineOf(part, ways, rows.index[k], isAck));
    if (!piece) continue;
    const x = Math.round(piece.x0 + piece.x1);
    if (x === last) continue;
    last = x;
    ctx.moveTo(piece.x0, piece.y0);
    ctx.lineTo(piece.x1, piece.y1);
  }
  ctx.stroke();
}

// A cross where a packet died.
function drawEnds(ctx, band, part, ways, isAck) {
  const [from, to] = rowsIn(ways.lost.sent, band, ways.longest);
  ctx.strokeStyle = part.colour("drop");
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  const put = sparse(5, (x, y) => cross(ctx, x, y, band.tall > 80 ? 4 : 3));
  for (let k = from; k < to; k++) {
    const piece = pieceIn(band, lineOf(part, ways, ways.lost.index[k], isAck));
    if (piece && piece.ends) put(piece.x1, piece.y1);
  }
  ctx.stroke();
}
