// A chart of lines and marks over time that the page's data describes: {id, title, about, axis, layers}.
import { NB, exact, timeText } from "./format.js";
import { lowerBound, upperBound } from "./scale.js";
import { state } from "./state.js";
import { openTable } from "./codec.js";
import { itemParts } from "./chart_sequence.js";
import { cross, extremes, sparse, stepLine, stepRange } from "./marks.js";
import { nextTime, timeRecords } from "./chart_window.js";
import { theme } from "./theme.js";

const SAMPLES = { steps: "step", dots: "dot", cross: "cross", level: "dashed", band: "block" };

// With `frames`, each row has the number of its packet in the capture.
export function layersChart({ id, title, about, axis, layers, height, frames }) {
  const colour = (part, layer) => part.colour(layer.key);
  const there = (data) => layers.filter((layer) => data[layer.key]);
  return {
    id, title, about, height, axis: () => (axis.band ? axis : { ...axis, label: `${axis.label} (${axis.unit}${axis.log ? ", logarithmic" : ""})` }), needs: "segments",
    roles: layers.map((layer) => ({ key: layer.key, name: layer.name, sample: SAMPLES[layer.kind], there: (data) => data[layer.key] })),
    ownColours: () => Boolean(axis.band),
    columns: axis.band ? [["from", "s", 9], ["to", "s", 9], ["what", ""], ["frame.number", ""]] : [["time", "s", 9], ["value", axis.unit, 9], ["what", ""], ...(frames ? [["frame.number", ""]] : [])],

    parts: () => itemParts("series", async (item) => {
      const open = layers.map(async (layer) => [layer.key, item.tables[`${id} ${layer.key}`]?.rows ? await openTable(item.tables[`${id} ${layer.key}`]) : null]);
      return Object.fromEntries(await Promise.all(open));
    }).map((part) => ({ ...part, colour: (key) => (axis.band || state.visible().length === 1 || state.eachApart() ? theme.slots[layers.find((layer) => layer.key === key).slot] : part.colour(key)) })),

    range(part, data, t0, t1, frame) {
      if (axis.band) return [0, 1];
      let [low, high] = [Infinity, -Infinity];
      for (const { key, kind } of there(data)) {
        if (!frame.on[key]) continue;
        const { time_s: times } = data[key];
        const [a, b] = kind === "steps" ? stepRange(data[key], times, "value", t0, t1) : kind === "level" ? extremes(data[key], "value").of(0, data[key].rows) : extremes(data[key], "value").of(lowerBound(times, t0), upperBound(times, t1));
        [low, high] = [Math.min(low, a), Math.max(high, b)];
      }
      return [low, high];
    },

    // A logarithmic axis has the least value of the whole capture as its lower end.
    frame: (low, high) => (axis.band ? [0, 1] : axis.log ? [axis.log, Math.max(high, 2 * axis.log) * 1.3] : axis.zero ? [0, high * 1.06 || 1] : [low - 0.05 * (high - low), high + Math.max(0.05 * (high - low), 0.5)]),

    draw(ctx, part, data, box, sx, sy, frame) {
      for (const layer of there(data)) {
        if (!frame.on[layer.key]) continue;
        const table = data[layer.key];
        const times = table.time_s;
        ctx.strokeStyle = ctx.fillStyle = colour(part, layer);
        // A wide layer shows behind another that is the same.
        const wide = layer.wide ? 3 : 0;
        ctx.lineWidth = 1.6 + wide + 2 * frame.under;
        ctx.beginPath();
        if (layer.kind === "band") {
          // Of several directions each has its part of the height.
          const shown = frame.panels.find((panel) => panel.box === box).parts;
          const tall = box.h / shown.length;
          for (let i = 0; i < table.rows; i++) ctx.rect(sx(times[i]), box.y + tall * shown.indexOf(part), Math.max(1, sx(table.value[i]) - sx(times[i])), tall);
          ctx.globalAlpha = 0.75;
          ctx.fill();
          ctx.globalAlpha = 1;
        } else if (layer.kind === "steps") stepLine(ctx, table, times, "value", sx, sy);
        else if (layer.kind === "level") {
          ctx.setLineDash([6, 4]);
          ctx.moveTo(box.x, sy(table.value[0]));
          ctx.lineTo(box.x + box.w, sy(table.value[0]));
          ctx.stroke();
          ctx.setLineDash([]);
        } else {
          const mark = layer.kind === "cross" ? (x, y) => cross(ctx, x, y, 3.5) : (x, y) => ctx.rect(x - 1.5 - wide / 2, y - 1.5 - wide / 2, 3 + wide, 3 + wide);
          const put = sparse(2, mark);
          for (let i = lowerBound(times, sx.domain[0]); i < table.rows && times[i] <= sx.domain[1]; i++) put(sx(times[i]), sy(table.value[i]));
          layer.kind === "cross" ? ctx.stroke() : ctx.fill();
        }
      }
    },

    near(part, data, x, y, sx, sy, frame, exactly) {
      let best = null;
      for (const layer of there(data)) {
        if (!frame.on[layer.key] || layer.kind === "level") continue;
        const { time_s: times, value } = data[layer.key];
        if (axis.band) {
          const i = upperBound(times, sx.back(x)) - 1;
          if (i >= 0 && value[i] >= sx.back(x)) best = { away: 0, layer, time: times[i], value: value[i], packet: data[layer.key].frame[i] };
          continue;
        }
        const [from, to] = [lowerBound(times, sx.back(x - 10)), upperBound(times, sx.back(x + 10))];
        for (let i = from; i < Math.min(to, from + 4000); i++) {
          const away = Math.hypot(sx(times[i]) - x, exactly ? 0 : sy(value[i]) - y);
          if (away <= 12 && (!best || away < best.away)) best = { away, layer, time: times[i], value: value[i], packet: data[layer.key].frame?.[i] };
        }
      }
      if (!best) return null;
      const { away, layer, time, value, packet } = best;
      return { away, x: sx(time), y: sy(value), title: (state.several ? part.name + ": " : "") + layer.name, rows: [["at", timeText(time, 1e-8)], axis.band ? ["to", timeText(value, 1e-8)] : [axis.label, exact(value) + NB + axis.unit, colour(part, layer)], ...(packet ? [["frame.number ==", String(packet)]] : [])] };
    },

    next(part, data, t, direction) {
      const times = there(data).filter((layer) => layer.kind !== "level").map((layer) => nextTime(data[layer.key], t, direction)).filter((time) => time !== null);
      return times.length ? (direction > 0 ? Math.min(...times) : Math.max(...times)) : null;
    },

    records(part, data, t0, t1, most) {
      const found = there(data).map((layer) => timeRecords(data[layer.key], t0, t1, most, (i) => [data[layer.key].time_s[i], data[layer.key].value[i], layer.name, ...(frames ? [data[layer.key].frame?.[i] ?? ""] : [])]));
      return { count: found.reduce((sum, { count }) => sum + count, 0), records: found.flatMap(({ records }) => records).sort((a, b) => a[0] - b[0]).slice(0, most) };
    },
  };
}
