// Round-trip times the sender measured, one dot a sample.
import { itemParts } from "./chart_sequence.js";
import { nextTime, timeRecords } from "./chart_window.js";
import { NB, duration, exact, timeText } from "./format.js";
import { eachColumn } from "./levels.js";
import { dash, extremes, stepLine, stepRange } from "./marks.js";
import { lowerBound, upperBound } from "./scale.js";
import { state } from "./state.js";
import { openItem } from "./store.js";
import { theme } from "./theme.js";

export const rttChart = {
  id: "rtt",
  title: "Round-trip time",
  about: "Each sample when the sender took it. Delays alone are those of all links there and back, without queues, transmission times and waits for a grant to send.",
  needs: "series",
  height: 200,
  axis: () => state.manifest.axes.rtt,
  roles: [
    { key: "rtt", name: "sample", sample: "dot" },
    { key: "delays", name: "delays alone", sample: "dashed", role: "capacity", there: (data, part) => part.item.delays_ms > 0, value: ({ item }) => item.delays_ms && duration(item.delays_ms / 1e3, 3) },
    { key: "rto", name: "retransmission timer", sample: "dashed", on: false },
  ],
  columns: [["time", "s", 9], ["RTT", "ms", 6], ["timer", "ms", 3]],

  parts: () => itemParts("series", (item) => openItem(item, ["rtt"])),

  range(part, { rtt }, t0, t1, frame) {
    if (!rtt) return [Infinity, -Infinity];
    const [from, to] = [lowerBound(rtt.time_s, t0), upperBound(rtt.time_s, t1)];
    let high = extremes(rtt, "rtt_ms").of(from, to)[1];
    if (frame.on.rto) high = Math.max(high, stepRange(rtt, rtt.time_s, "rto_ms", t0, t1)[1]);
    return [0, high];
  },

  draw(ctx, part, { rtt }, box, sx, sy, frame) {
    if (!rtt) return;
    if (frame.on.rto) {
      ctx.strokeStyle = part.colour("rto");
      dash(ctx, [6, 4], 1.5 + 1.6 * frame.under);
      stepLine(ctx, rtt, rtt.time_s, "rto_ms", sx, sy);
      ctx.setLineDash([]);
    }
    if (frame.on.delays && part.item.delays_ms) {
      ctx.strokeStyle = theme["ink-2"];
      dash(ctx, [6, 4], 1.2);
      ctx.beginPath();
      ctx.moveTo(box.x, sy(part.item.delays_ms));
      ctx.lineTo(box.x + box.w, sy(part.item.delays_ms));
      ctx.stroke();
      ctx.setLineDash([]);
    }
    if (!frame.on.rtt) return;
    const [from, to] = [lowerBound(rtt.time_s, sx.domain[0]), upperBound(rtt.time_s, sx.domain[1])];
    ctx.fillStyle = part.colour("rtt");
    if (to - from <= 3 * box.w) {
      const r = (to - from < box.w / 4 ? 2 : 1.4) + frame.under;
      ctx.beginPath();
      for (let i = from; i < to; i++) {
        const [x, y] = [sx(rtt.time_s[i]), sy(rtt.rtt_ms[i])];
        ctx.moveTo(x + r, y);
        ctx.arc(x, y, r, 0, 7);
      }
      ctx.fill();
      return;
    }
    // Many samples a column: of several flows each lets the others be seen.
    ctx.globalAlpha = frame.parts.length > 1 ? 0.5 : 1;
    const pyramid = extremes(rtt, "rtt_ms");
    eachColumn(rtt.time_s, from, to, sx, (x, i, end) => {
      const [low, high] = pyramid.of(i, end);
      ctx.fillRect(x, sy(high) - 1, 1, Math.max(2, sy(low) - sy(high) + 2));
    });
  },

  near(part, { rtt }, x, y, sx, sy, frame, exactly) {
    if (!rtt) return null;
    const reach = 14;
    const [from, to] = [lowerBound(rtt.time_s, sx.back(x - reach)), lowerBound(rtt.time_s, sx.back(x + reach))];
    let best = null;
    for (let i = from; i < Math.min(to, from + 4000); i++) {
      const away = Math.hypot(sx(rtt.time_s[i]) - x, exactly ? 0 : (sy(rtt.rtt_ms[i]) - y) / 4);
      if (away <= reach && (!best || away < best.away)) best = { away, i };
    }
    if (!best) return null;
    const { i } = best;
    return {
      away: best.away, title: timeText(rtt.time_s[i], 1e-8), x: sx(rtt.time_s[i]), y: sy(rtt.rtt_ms[i]),
      rows: [[(state.several ? part.name + " " : "") + "RTT", exact(rtt.rtt_ms[i], 6) + NB + "ms", part.colour("rtt")], ["timer", exact(rtt.rto_ms[i], 3) + NB + "ms"]],
    };
  },

  next: (part, { rtt }, t, direction) => nextTime(rtt, t, direction),

  records(part, { rtt }, t0, t1, most) {
    return timeRecords(rtt, t0, t1, most, (i) => [rtt.time_s[i], rtt.rtt_ms[i], rtt.rto_ms[i]]);
  },
};
