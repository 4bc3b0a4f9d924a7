// The time-sequence graph, in tcptrace's conventions: segments as vertical ticks, R for a
// retransmission, the ACK line stepping up below, SACK blocks above it, the advertised
// window over all, X where data died on its way.
import { setFont } from "./axes.js";
import { NB, duration, exact, grouped } from "./format.js";
import { eachColumn } from "./levels.js";
import { cross, extremes, inSight, rowAt, sparse, stepLine } from "./marks.js";
import { lowerBound } from "./scale.js";
import { state } from "./state.js";
import { FATE, carried, fateOf, isAgain, itemParts, nextTime, openItem, openWays, timeRecords } from "./store.js";

export const sequenceChart = {
  id: "sequence",
  title: "Time–sequence graph",
  about: "Segments and ACKs at the sender. Each tick is a segment, from its first to its last sequence number. The step line is the highest acknowledgment number that the sender has received.",
  needs: "packets",
  height: 400,
  ownScale: true,
  bulk: true,
  axis: () => {
    const bytes = state.visible().some((item) => item.unit === "bytes");
    return state.manifest.axes[bytes ? "sequence:bytes" : "sequence:segments"];
  },
  roles: [
    { key: "data", name: "data", sample: "tick" },
    { key: "retransmit", name: "retransmission", sample: "R", there: ({ data }) => data && data.again.index.length },
    { key: "ack", name: "ACK line", sample: "step" },
    { key: "sack", name: "SACK", sample: "line", there: ({ sacks }) => sacks },
    { key: "window", name: "advertised window", sample: "dashed", there: ({ edge }) => edge },
    { key: "drop", name: "lost on the way", sample: "cross", there: ({ data }) => data && data.lost.index.length },
  ],
  columns: [["sent", "s", 9], ["first", "unit"], ["past last", "unit"], ["what", ""], ["ended", "s", 9], ["fate", ""]],

  parts: () => itemParts("packets", async (item) => ({
    data: await openWays(item, "data"),
    ack: await openWays(item, "ack"),
    ...(await openItem(item, ["sacks", "edge"])),
  }), true),

  range(part, { data, ack }, t0, t1) {
    let low = Infinity;
    let high = -Infinity;
    if (data) {
      const [from, to] = [lowerBound(data.sent_s, t0), lowerBound(data.sent_s, t1)];
      [low, high] = extremes(data, "number").of(from, to);
      if (high >= low) high += data.len[Math.max(from, to - 1)] || 1;
    }
    if (ack) {
      const { time, highest } = ack.arrivals;
      for (const row of [rowAt(time, t0), rowAt(time, t1)]) {
        if (row < 0) continue;
        low = Math.min(low, highest[row]);
        high = Math.max(high, highest[row]);
      }
    }
    return [low, high];
  },

  frame(low, high) {
    const room = Math.max((high - low) * 0.05, 0.5);
    return [low - room, high + room];
  },

  draw(ctx, part, { data, ack, sacks, edge }, box, sx, sy, frame) {
    const layers = [
      ["window", edge, drawEdge], ["ack", ack, drawAckLine], ["sack", sacks, drawSacks],
      ["data", data, drawSegments], ["retransmit", data, drawAgain], ["drop", data, drawLost],
    ];
    for (const [role, table, layer] of layers) {
      if (!table || !frame.on[role]) continue;
      ctx.save();
      layer(ctx, part, table, sx, sy, box, frame.under);
      ctx.restore();
    }
  },

  near(part, { data, ack }, x, y, sx, sy, frame, exactly) {
    const reach = 9;
    let best = /** @type {any} */ (null);
    const consider = (away, make) => {
      if (away <= reach && (!best || away < best.away)) best = { away, make };
    };
    if (data) {
      const [from, to] = [lowerBound(data.sent_s, sx.back(x - reach)), lowerBound(data.sent_s, sx.back(x + reach))];
      for (let i = from; i < Math.min(to, from + 4000); i++) {
        if (!frame.on[isAgain(data, i) ? "retransmit" : "data"]) continue;
        const top = sy(data.number[i] + data.len[i]);
        const bottom = sy(data.number[i]);
        const dy = exactly ? 0 : Math.max(top - y, y - bottom, 0);
        consider(Math.hypot(sx(data.sent_s[i]) - x, dy), () => segmentTip(part, data, i, sx, (top + bottom) / 2));
      }
    }
    if (ack && frame.on.ack && !exactly) {
      const { time, number } = ack.arrivals;
      const [from, to] = [lowerBound(time, sx.back(x - reach)), lowerBound(time, sx.back(x + reach))];
      for (let k = from; k < Math.min(to, from + 4000); k++) {
        // A little farther than it is, so that a segment at the same place is read first.
        consider(Math.hypot(sx(time[k]) - x, sy(number[k]) - y) + 0.5, () => ackTip(part, ack, k, sx, sy));
      }
    }
    return best && { away: best.away, ...best.make() };
  },

  next: (part, { data }, t, direction) => nextTime(data?.sent_s, t, direction),

  records(part, { data }, t0, t1, most) {
    const { fates } = state.manifest.names;
    return timeRecords(data?.sent_s, t0, t1, most, (i) => [data.sent_s[i], data.number[i], data.number[i] + data.len[i], isAgain(data, i) ? "retransmission" : "data", data.end[i], fates[fateOf(data, i)]]);
  },
};

function segmentTip(part, data, i, sx, y) {
  const { fates } = state.manifest.names;
  const fate = fateOf(data, i);
  const rows = [["sent", exact(data.sent_s[i]) + NB + "s"]];
  if (fate === FATE.delivered) rows.push(["arrived", exact(data.end[i]) + NB + "s"], ["took", duration(data.took_s[i])]);
  else rows.push([fates[fate] === "drop" ? "dropped" : fate === FATE.flying ? "in flight" : "lost", fate === FATE.flying ? "at the end" : exact(data.end[i]) + NB + "s"]);
  const text = carried(part.item, data, i);
  return { title: (state.several ? part.name + ": " : "") + text, rows, x: sx(data.sent_s[i]), y };
}

function ackTip(part, ack, k, sx, sy) {
  const { time, number, highest, index } = ack.arrivals;
  const duplicate = k > 0 && number[k] <= highest[k - 1];
  const gained = number[k] - (k ? highest[k - 1] : 0);
  const rows = [
    ["arrived", exact(time[k]) + NB + "s"],
    ["left the receiver", exact(ack.sent_s[index[k]]) + NB + "s"],
    ["acknowledges", duplicate ? "nothing new" : grouped(gained) + NB + part.item.unit],
  ];
  return { title: `${state.several ? part.name + ": " : ""}${duplicate ? "duplicate ACK" : "ACK"} ${grouped(number[k])}`, rows, x: sx(time[k]), y: sy(number[k]) };
}

function drawSegments(ctx, part, data, sx, sy, box, under) {
  const [from, to] = inSight(data.sent_s, sx);
  ctx.strokeStyle = ctx.fillStyle = part.colour("data");
  const tall = Math.abs(sy.k) * (data.len[from] || 1);
  if (to - from <= 3 * box.w) {
    const width = Math.min(2, Math.max(1.5, tall / 6));
    ctx.lineWidth = width + 2.2 * under;
    ctx.beginPath();
    for (let i = from; i < to; i++) {
      if (isAgain(data, i)) continue;
      const x = sx(data.sent_s[i]);
      const [bottom, top] = [sy(data.number[i]), sy(data.number[i] + data.len[i])];
      const middle = (bottom + top) / 2;
      const half = Math.max(1, (bottom - top) / 2);
      ctx.moveTo(x, middle + half);
      ctx.lineTo(x, middle - half);
      // Arrow heads once there is room for them, as in tcptrace.
      if (tall >= 9) {
        for (const [tip, way] of [[top, 1], [bottom, -1]]) {
          ctx.moveTo(x - 2.5, tip + 3 * way);
          ctx.lineTo(x, tip);
          ctx.lineTo(x + 2.5, tip + 3 * way);
        }
      }
    }
    ctx.stroke();
    return;
  }
  // Too many to draw: in each column of dots, from the lowest to the highest first sending.
  const fresh = freshNumbers(data);
  const pyramid = extremes(fresh, "number");
  eachColumn(data.sent_s, from, to, sx, (x, i, end) => {
    const [low, high] = pyramid.of(i, end);
    if (low <= high) ctx.fillRect(x - under, sy(high + data.len[i]), 1 + 2 * under, Math.max(1.5, (high - low + data.len[i]) * Math.abs(sy.k)));
  });
}

// The numbers with retransmissions blanked, so that they do not stretch the columns.
function freshNumbers(data) {
  if (!data.fresh) {
    const number = data.number.slice();
    for (const i of data.again.index) number[i] = NaN;
    data.fresh = { number };
  }
  return data.fresh;
}

function drawAgain(ctx, part, data, sx, sy, box) {
  const { again } = data;
  const [from, to] = inSight(again.sent, sx);
  const letters = to - from <= box.w / 7;
  ctx.strokeStyle = ctx.fillStyle = part.colour("retransmit");
  ctx.lineWidth = 2;
  ctx.beginPath();
  const put = sparse(2, (x, y) => {
    ctx.moveTo(x, y - 2);
    ctx.lineTo(x, y + 2);
  });
  setFont(ctx, 11, "bold");
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  const letter = sparse(11, (x, y) => ctx.fillText("R", x, y - 2));
  for (let k = from; k < to; k++) {
    const i = again.index[k];
    const x = sx(data.sent_s[i]);
    const [bottom, top] = [sy(data.number[i]), sy(data.number[i] + data.len[i])];
    if (bottom - top >= 4) {
      ctx.moveTo(x, bottom);
      ctx.lineTo(x, top);
    } else put(x, (bottom + top) / 2);
    if (letters) letter(x, top);
  }
  ctx.stroke();
}

function drawLost(ctx, part, data, sx, sy) {
  const { lost } = data;
  const [from, to] = inSight(lost.sent, sx);
  ctx.strokeStyle = part.colour("drop");
  ctx.lineWidth = 1.6;
  ctx.beginPath();
  const put = sparse(5, (x, y) => cross(ctx, x, y, 3.5));
  for (let k = from; k < to; k++) {
    const i = lost.index[k];
    put(sx(data.end[i]), sy(data.number[i] + data.len[i] / 2));
  }
  ctx.stroke();
}

function drawAckLine(ctx, part, ack, sx, sy, box, under) {
  const { time, highest, number } = ack.arrivals;
  ctx.strokeStyle = part.colour("ack");
  ctx.globalAlpha = part.colour("ack") === part.colour("data") ? 0.75 : 1;
  ctx.lineWidth = 1.5 + 2.2 * under;
  stepLine(ctx, ack.arrivals, time, "highest", sx, sy, { until: part.item.end_s });
  // Duplicates: small ticks below the line.
  const [from, to] = inSight(time, sx);
  if (to - from > 6 * (sx.range[1] - sx.range[0])) return;
  ctx.beginPath();
  for (let k = Math.max(1, from); k < to; k++) {
    if (number[k] > highest[k - 1]) continue;
    const [x, y] = [sx(time[k]), sy(highest[k])];
    ctx.moveTo(x, y);
    ctx.lineTo(x, y + 5);
  }
  ctx.stroke();
}

function drawSacks(ctx, part, sacks, sx, sy) {
  const [from, to] = inSight(sacks.time_s, sx);
  const strokes = to - from <= 4 * (sx.range[1] - sx.range[0]);
  ctx.fillStyle = part.colour("sack");
  if (strokes) {
    for (let i = from; i < to; i++) {
      // The block an ACK names first is the news; the others repeat what was said before.
      ctx.globalAlpha = sacks.block[i] === 0 ? 0.9 : 0.35;
      const top = sy(sacks.end[i]);
      ctx.fillRect(sx(sacks.time_s[i]) - 0.75, top, 1.5, Math.max(1.5, sy(sacks.start[i]) - top));
    }
    return;
  }
  ctx.globalAlpha = 0.5;
  const [low, high] = [extremes(sacks, "start"), extremes(sacks, "end")];
  eachColumn(sacks.time_s, from, to, sx, (x, i, end) => {
    const top = sy(high.of(i, end)[1]);
    ctx.fillRect(x, top, 1, Math.max(1, sy(low.of(i, end)[0]) - top));
  });
}

function drawEdge(ctx, part, edge, sx, sy) {
  ctx.strokeStyle = part.colour("window");
  ctx.lineWidth = 1.5;
  ctx.setLineDash([6, 3]);
  stepLine(ctx, edge, edge.time_s, "edge", sx, sy, { until: part.item.end_s });
}
