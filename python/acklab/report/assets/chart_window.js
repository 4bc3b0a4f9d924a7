// cwnd, ssthresh and the flight size (RFC 5681), which is what is not acknowledged, on the way or lost.
import { exact, NB } from "./format.js";
import { stepRange } from "./marks.js";
import { state } from "./state.js";
import { openItem, timeRecords } from "./store.js";

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
  holds: true,
  axis: () => state.manifest.axes.cwnd,
  layers: [
    { key: "slow", name: "slow start", kind: "band", role: "slow start", sample: "area", alpha: 0.13, there: ({ slow }, part, frame) => slow && (frame.parts.length === 1 || state.eachApart()) },
    { key: "flight", name: "outstanding", kind: "steps", table: "window", column: "flight_segments", sample: "area", line: 0.8, fill: true },
    { key: "ssthresh", name: "ssthresh", kind: "steps", table: "window", column: "told_ssthresh", tells: "ssthresh_segments", sample: "dashed", line: 1.4, dashed: true, far: FAR },
    { key: "cwnd", name: "cwnd", kind: "steps", table: "window", column: "cwnd_segments", sample: "line", line: 2 },
    { key: "cuts", name: "timeout, fast retransmit", kind: "letters", column: "event", letters: ["T", "F"], role: "drop", sample: "T F" },
  ],
  columns: [["time", "s", 9], ["cwnd", "segments", 3], ["ssthresh", "segments", 3], ["outstanding", "segments", 3], ["state", ""]],
  open: openWindow,

  tell: (part, { window }, table, i) => (window.state[i] ? [["", `${stateName(window.state[i])} since ${exact(window.time_s[i])}${NB}s`]] : []),

  records(part, { window: w }, t0, t1, most) {
    return timeRecords(w?.time_s, t0, t1, most, (i) => [w.time_s[i], w.cwnd_segments[i], w.ssthresh_segments[i], w.flight_segments[i], stateName(w.state[i])]);
  },
};

const stateName = (code) => (code ? state.manifest.names.states[code - 1].replace("-", " ") : "");

// The window; the stretches in slow start; and the threshold as it is drawn: where it is far above the highest window, such as before
// the first reduction and after one was taken back, it is left out, because its rise and fall were lines across the chart.
async function openWindow(item) {
  const { window, cuts } = await openItem(item, ["window", "cuts"]);
  if (window && !window.told_ssthresh) {
    const tops = ["cwnd_segments", "flight_segments"].map((column) => stepRange(window, window.time_s, column, -Infinity, Infinity)[1]);
    const most = FAR * Math.max(...tops);
    window.told_ssthresh = Float64Array.from(window.ssthresh_segments, (threshold) => (threshold > most ? NaN : threshold));
  }
  return { window, cuts, slow: window && slowStart(window) };
}

function slowStart({ rows, time_s: times, state: states }) {
  const [begins, ends] = [[], []];
  for (let i = 0; i < rows; i++) {
    if (states[i] === 1 && states[i - 1] !== 1) begins.push(times[i]);
    if (states[i] === 1 && states[i + 1] !== 1) ends.push(times[Math.min(i + 1, rows - 1)]);
  }
  return { rows: begins.length, time_s: begins, value: ends };
}
