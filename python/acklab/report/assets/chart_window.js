// cwnd, ssthresh and the flight size (RFC 5681), which is what is not acknowledged, on the way or lost.
import { setFont } from "./axes.js";
import { itemParts } from "./chart_sequence.js";
import { NB, exact, timeText } from "./format.js";
import { dash, rowAt, sparse, stepLine, stepRange } from "./marks.js";
import { lowerBound, upperBound } from "./scale.js";
import { state } from "./state.js";
import { openItem } from "./store.js";
import { theme } from "./theme.js";

// A threshold higher than so many times the highest window is not worth the room.
const FAR = 2.5;

export const windowChart = {
  id: "window",
  title: "Congestion window",
  about: "What the sender allowed itself (cwnd), the slow-start threshold, and what was outstanding: sent and not acknowledged, on the way or lost. T marks a timeout that cut the window, F a fast retransmit.",
  needs: "series",
  height: 280,
  gather: true,
  ownScale: true,
  bulk: true,
  axis: () => state.manifest.axes.cwnd,
  roles: [
    { key: "cwnd", name: "cwnd", sample: "line" },
    { key: "ssthresh", name: "ssthresh", sample: "dashed" },
    { key: "flight", name: "outstanding", sample: "area" },
    { key: "cuts", name: "timeout, fast retransmit", sample: "T F", role: "drop", there: ({ cuts }) => cuts },
    { key: "state", name: "slow start", sample: "area", role: "slow start", there: (data, part, frame) => frame.parts.length === 1 || state.eachApart() },
  ],
  columns: [["time", "s", 9], ["cwnd", "segments", 3], ["ssthresh", "segments", 3], ["outstanding", "segments", 3], ["state", ""]],

  parts: () => itemParts("series", (item) => openWindow(item), true),

  range(part, { window }, t0, t1, frame) {
    if (!window) return [Infinity, -Infinity];
    const [, top] = stepRange(window, window.time_s, "cwnd_segments", t0, t1);
    let high = frame.on.cwnd ? top : 0;
    if (frame.on.flight) high = Math.max(high, stepRange(window, window.time_s, "flight_segments", t0, t1)[1]);
    // A threshold far above everything else would press it to the ground: it may leave the panel.
    if (frame.on.ssthresh) {
      const threshold = stepRange(window, window.time_s, "told_ssthresh", t0, t1)[1];
      if (threshold <= FAR * high || !high) high = Math.max(high, threshold);
    }
    return [0, high];
  },

  draw(ctx, part, { window, cuts }, box, sx, sy, frame) {
    if (!window) return;
    const { on } = frame;
    const time = window.time_s;
    const alone = frame.parts.length === 1 || state.eachApart();
    const until = part.item.end_s;
    if (on.state && alone) drawSlowStart(ctx, window, box, sx);
    if (on.flight) {
      ctx.globalAlpha = alone ? 0.8 : 0.5;
      ctx.strokeStyle = part.colour("flight");
      ctx.lineWidth = 0.8 + 0.8 * frame.under;
      stepLine(ctx, window, time, "flight_segments", sx, sy, { until, fill: alone ? withAlpha(part.colour("flight"), 0.22) : null });
      ctx.globalAlpha = 1;
    }
    if (on.ssthresh) {
      ctx.strokeStyle = part.colour("ssthresh");
      dash(ctx, [6, 4], 1.4 + 1.6 * frame.under);
      stepLine(ctx, window, time, "told_ssthresh", sx, sy, { until });
      ctx.setLineDash([]);
    }
    if (on.cwnd) {
      ctx.strokeStyle = part.colour("cwnd");
      ctx.lineWidth = 2 + 1.6 * frame.under;
      stepLine(ctx, window, time, "cwnd_segments", sx, sy, { until });
    }
    if (on.cuts && cuts) drawCuts(ctx, part, cuts, box, sx);
  },

  near(part, { window }, x, y, sx, sy, frame, exactly) {
    if (!window) return null;
    const time = exactly ? state.view.cursor : sx.back(x);
    const i = rowAt(window.time_s, time);
    if (i < 0) return null;
    const who = state.several ? part.name + " " : "";
    const rows = [
      [who + "cwnd", exact(window.cwnd_segments[i], 3), part.colour("cwnd")],
      [who + "ssthresh", exact(window.ssthresh_segments[i], 3), state.several ? null : part.colour("ssthresh")],
      [who + "outstanding", exact(window.flight_segments[i], 3), state.several ? null : part.colour("flight")],
      ["", stateName(window.state[i]) + " since " + exact(window.time_s[i]) + NB + "s"],
    ];
    return { away: 0, title: timeText(time, state.view.span / 1000), rows };
  },

  next: (part, { window }, t, direction) => nextTime(window, t, direction),

  records(part, { window }, t0, t1, most) {
    return timeRecords(window, t0, t1, most, (i) => [window.time_s[i], window.cwnd_segments[i], window.ssthresh_segments[i], window.flight_segments[i], stateName(window.state[i])]);
  },
};

// The window, and its threshold as it is drawn: where it is far above the highest window, such as before the first reduction and after
// one was taken back, it is left out, because its rise and fall were lines across the chart.
async function openWindow(item) {
  const opened = await openItem(item, ["window", "cuts"]);
  const { window } = opened;
  if (window && !window.told_ssthresh) {
    const top = Math.max(stepRange(window, window.time_s, "cwnd_segments", -Infinity, Infinity)[1], stepRange(window, window.time_s, "flight_segments", -Infinity, Infinity)[1]);
    window.told_ssthresh = Float64Array.from(window.ssthresh_segments, (threshold) => (threshold > FAR * top ? NaN : threshold));
  }
  return opened;
}

const stateName = (code) => (code ? state.manifest.names.states[code - 1].replace("-", " ") : "");

function drawSlowStart(ctx, window, box, sx) {
  const [t0, t1] = sx.domain;
  const times = window.time_s;
  const from = Math.max(0, upperBound(times, t0) - 1);
  const to = lowerBound(times, t1, from);
  ctx.fillStyle = withAlpha(theme.roles["slow start"], theme.dark ? 0.13 : 0.12);
  let begin = null;
  const close = (end) => {
    if (begin !== null) ctx.fillRect(sx(Math.max(begin, t0)), box.y, Math.max(0.5, sx(end) - sx(Math.max(begin, t0))), box.h);
    begin = null;
  };
  const spans = slowStartSpans(window);
  for (let k = 0; k < spans.length; k += 2) {
    if (spans[k + 1] < from || spans[k] >= to) continue;
    begin = times[spans[k]];
    close(Math.min(t1, spans[k + 1] < times.length ? times[spans[k + 1]] : times[times.length - 1]));
  }
}

// Row numbers [first, past last, first, ...] of the stretches in slow start.
function slowStartSpans(window) {
  if (!window.spans) {
    const out = [];
    for (let i = 0; i < window.rows; i++) {
      const slow = window.state[i] === 1;
      if (slow && (out.length % 2 === 0)) out.push(i);
      else if (!slow && out.length % 2 === 1) out.push(i);
    }
    if (out.length % 2) out.push(window.rows);
    window.spans = out;
  }
  return window.spans;
}

function drawCuts(ctx, part, cuts, box, sx) {
  ctx.fillStyle = ctx.strokeStyle = part.colour("drop");
  setFont(ctx, 11, "bold");
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.lineWidth = 1;
  const put = sparse(9, (x, y) => ctx.fillText(y < 1 ? "T" : "F", x, box.y + 2));
  for (let i = lowerBound(cuts.time_s, sx.domain[0]); i < cuts.rows && cuts.time_s[i] <= sx.domain[1]; i++) put(sx(cuts.time_s[i]), cuts.event[i] * 9);
}

export function withAlpha(colour, alpha) {
  return colour + Math.round(alpha * 255).toString(16).padStart(2, "0");
}

export function nextTime(table, t, direction) {
  if (!table) return null;
  const i = direction > 0 ? upperBound(table.time_s, t) : lowerBound(table.time_s, t) - 1;
  return i >= 0 && i < table.rows ? table.time_s[i] : null;
}

export function timeRecords(table, t0, t1, most, record) {
  if (!table) return { count: 0, records: [] };
  const [from, to] = [lowerBound(table.time_s, t0), upperBound(table.time_s, t1)];
  const records = [];
  for (let i = from; i < to && records.length < most; i++) records.push(record(i));
  return { count: to - from, records };
}
