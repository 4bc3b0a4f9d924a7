// Round-trip times the sender measured, one dot a sample.
import { duration } from "./format.js";
import { state } from "./state.js";
import { openItem, timeRecords } from "./store.js";

export const rttChart = {
  id: "rtt",
  title: "Round-trip time",
  about: "Each sample when the sender took it. Delays alone are those of all links there and back, without queues, transmission times and waits for a grant to send.",
  needs: "series",
  height: 200,
  axis: () => state.manifest.axes.rtt,
  layers: [
    { key: "rtt", name: "sample", kind: "dots", column: "rtt_ms" },
    { key: "delays", name: "delays alone", kind: "level", role: "capacity", value: ({ item }) => item.delays_ms && duration(item.delays_ms / 1e3, 3) },
    { key: "rto", name: "retransmission timer", kind: "steps", table: "rtt", column: "rto_ms", dashed: true, sample: "dashed", on: false },
  ],
  columns: [["time", "s", 9], ["RTT", "ms", 6], ["timer", "ms", 3]],

  async open(item) {
    const delays = item.delays_ms > 0 ? { rows: 1, time_s: [0], value: [item.delays_ms] } : null;
    return { ...(await openItem(item, ["rtt"])), delays };
  },

  records(part, { rtt }, t0, t1, most) {
    return timeRecords(rtt?.time_s, t0, t1, most, (i) => [rtt.time_s[i], rtt.rtt_ms[i], rtt.rto_ms[i]]);
  },
};
