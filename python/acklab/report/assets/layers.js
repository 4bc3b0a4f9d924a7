// Charts of lines and marks over time, which are described by their layers:
//   {id, title, about, axis, needs, open(item), layers, ...what a chart may have besides (frame.js)}
// A layer is a role of the legend (frame.js), with
//   kind               "steps", "dots", "cross", "letters", "level" or "band"
//   table, column      its values: those of the part's data[table] (the layer's key), in that column ("value")
//   line, dashed, wide, fill     how it is drawn
//   far                a layer that may leave the panel: it counts for the axis up to `far` times the others
// Of a chart that `holds` the pointer reads the values that hold at its time, else the nearest mark.
import { setFont } from "./axes.js";
import { NB, exact, timeText } from "./format.js";
import { cross, drawLevel, extremes, inSight, rowAt, sparse, stepLine, stepRange } from "./marks.js";
import { lowerBound, upperBound } from "./scale.js";
import { ownColour, state } from "./state.js";
import { itemParts, nextTime, openItem, timeRecords } from "./store.js";
import { theme } from "./theme.js";

const SAMPLE_OF = { steps: "step", dots: "dot", cross: "cross", level: "dashed", band: "block" };
// The pointer reaches a mark from so many dots.
const REACH = 12;

export function layersChart(/** @type {any} */ { layers, open, holds, tell, ...chart }) {
  const tableOf = (data, layer) => data[layer.table || layer.key];
  const columnOf = (/** @type {any} */ { column = "value" }) => (typeof column === "function" ? column() : column);
  const colourOf = (part, layer) => part.colour(layer.role || layer.key);
  const timed = (data) => layers.filter((layer) => layer.kind !== "level" && tableOf(data, layer));

  return {
    roles: layers.map((layer) => ({ sample: SAMPLE_OF[layer.kind], there: (data) => tableOf(data, layer), ...layer })),
    parts: () => itemParts(chart.needs, open, chart.bulk),

    range(part, data, t0, t1, frame) {
      if (chart.axis.band) return [0, 1];
      let [low, high] = [Infinity, -Infinity];
      for (const layer of layers.toSorted((one, other) => (one.far || 0) - (other.far || 0))) {
        const table = tableOf(data, layer);
        if (!table || !frame.on[layer.key] || ["band", "letters"].includes(layer.kind)) continue;
        const times = table.time_s;
        const column = columnOf(layer);
        const span = layer.kind === "level" ? [0, table.rows] : [lowerBound(times, t0), upperBound(times, t1)];
        const steps = layer.kind === "steps";
        const [a, b] = steps ? stepRange(table, times, column, t0, t1) : extremes(table, column).of(...span);
        if (high > 0 && b > (layer.far || Infinity) * high) continue;
        [low, high] = [Math.min(low, a), Math.max(high, b)];
      }
      return [low, high];
    },

    draw(ctx, part, data, box, sx, sy, frame) {
      const { parts } = frame.panels.find((panel) => panel.box === box);
      for (const layer of layers) {
        const table = tableOf(data, layer);
        if (!table || !frame.on[layer.key] || (layer.there && !layer.there(data, part, frame))) continue;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = colourOf(part, layer);
        // A wide layer shows behind another that is the same.
        ctx.lineWidth = (layer.line || 1.6) + (layer.wide ? 3 : 0) + 1.6 * frame.under;
        if (layer.dashed) ctx.setLineDash([6, 4]);
        DRAW[layer.kind](ctx, { frame, part, parts, layer, table, column: columnOf(layer) }, box, sx, sy);
        ctx.restore();
      }
    },

    near(part, data, x, y, sx, sy, frame, exactly) {
      const time = exactly ? state.view.cursor : sx.back(x);
      let best = /** @type {any} */ (null);
      const consider = (layer, table, i, away) => {
        if (!best || away < best.away) best = { layer, table, i, away };
      };
      for (const layer of timed(data)) {
        const table = tableOf(data, layer);
        const [times, values] = [table.time_s, table[columnOf(layer)]];
        if (!frame.on[layer.key] || layer.kind === "letters") continue;
        if (layer.kind === "band" || (holds && layer.kind === "steps")) {
          const i = rowAt(times, time);
          if (i < 0 || (layer.kind === "band" && !(chart.axis.band && values[i] >= time))) continue;
          consider(layer, table, i, layer.kind === "band" ? 0 : REACH + Math.abs(sy(values[i] || 0) - y));
          continue;
        }
        const [from, to] = [lowerBound(times, sx.back(x - REACH)), upperBound(times, sx.back(x + REACH))];
        for (let i = from; i < Math.min(to, from + 4000); i++) {
          const away = Math.hypot(sx(times[i]) - x, exactly ? 0 : sy(values[i]) - y);
          if (away <= REACH) consider(layer, table, i, away);
        }
      }
      if (!best) return null;
      const { layer, table, i, away } = best;
      const who = frame.parts.length > 1 ? part.name + " " : "";
      const { unit } = frame.axis;
      const valueOf = (other) => exact(table[other.tells || columnOf(other)][i], 6) + NB + unit;
      const same = layers.filter((other) => tableOf(data, other) === table);
      const rows = layer.kind === "band" ? [[who + layer.name, "until " + timeText(table.value[i], 1e-8)]]
        : same.map((other) => [who + other.name, valueOf(other), colourOf(part, other)]);
      if (table.frame) rows.push(["frame.number ==", String(table.frame[i])]);
      const held = holds && layer.kind === "steps";
      return {
        away, x: held ? sx(time) : sx(table.time_s[i]), y: sy(table[columnOf(layer)][i] || 0),
        title: held ? timeText(time, state.view.span / 1000) : timeText(table.time_s[i], 1e-8),
        rows: [...rows, ...(tell?.(part, data, table, i) || [])],
      };
    },

    next(part, data, t, direction) {
      const each = timed(data).map((layer) => nextTime(tableOf(data, layer).time_s, t, direction));
      const times = each.filter((time) => time !== null);
      return times.length ? (direction > 0 ? Math.min(...times) : Math.max(...times)) : null;
    },

    // One row for each mark, which says what it is.
    records(part, data, t0, t1, most) {
      const found = layers.filter((layer) => tableOf(data, layer)).map((layer) => {
        const { time_s: times, value, frame } = tableOf(data, layer);
        return timeRecords(times, t0, t1, most, (i) => [times[i], value[i], layer.name, frame?.[i] ?? ""]);
      });
      const records = found.flatMap((each) => each.records).sort((a, b) => a[0] - b[0]).slice(0, most);
      return { count: found.reduce((sum, { count }) => sum + count, 0), records };
    },

    ...chart,
  };
}

// The chart that a capture's page describes, whose layers have a table each; with `frames` each row has the number
// of its packet there.
export function capturedChart(/** @type {any} */ { axis, layers, frames, ...chart }) {
  const { band, log, zero, unit } = axis;
  const open = async (item) => {
    const tables = await openItem(item, layers.map(({ key }) => `${chart.id} ${key}`));
    return Object.fromEntries(layers.map(({ key }) => [key, tables[`${chart.id} ${key}`]]));
  };
  return layersChart({
    ...chart,
    open,
    needs: "series",
    // Several directions share a band, in the colours of its layers.
    ...(band && { parts: () => itemParts("series", open).map((part) => ({ ...part, colour: ownColour })) }),
    axis: band ? axis : { ...axis, label: `${axis.label} (${unit}${log ? ", logarithmic" : ""})` },
    layers: layers.map((layer) => ({ ...layer, role: layer.slot })),
    ownColours: () => Boolean(band),
    columns: [
      ...(band ? [["from", "s", 9], ["to", "s", 9]] : [["time", "s", 9], ["value", unit, 9]]),
      ["what", ""],
      ...(frames ? [["frame.number", ""]] : []),
    ],
    // A logarithmic axis has the least value of the whole capture as its lower end.
    frame(low, high) {
      if (band) return [0, 1];
      if (log) return [log, Math.max(high, 2 * log) * 1.3];
      const room = 0.05 * (high - low);
      return zero ? [0, high * 1.06 || 1] : [low - room, high + Math.max(room, 0.5)];
    },
  });
}

const DRAW = {
  steps(ctx, { part, parts, layer, table, column }, box, sx, sy) {
    const fill = layer.fill ? (parts.length > 1 ? 0.08 : 0.2) : 0;
    stepLine(ctx, table, table.time_s, column, sx, sy, { until: part.item?.end_s, fill });
  },

  // Of several parts one line over the other has no colour of its own.
  level(ctx, { frame, table }, box, sx, sy) {
    if (!frame.ownColours) ctx.strokeStyle = theme["ink-2"];
    ctx.lineWidth = 1.2;
    drawLevel(ctx, box, sy(table.value[0]));
  },

  // Of several parts each has its share of the height.
  band(ctx, { part, parts, layer, table }, box, sx) {
    const tall = box.h / parts.length;
    ctx.fillStyle = ownColour(layer.role);
    ctx.globalAlpha = layer.alpha || 0.75;
    ctx.beginPath();
    for (let i = 0; i < table.rows; i++) {
      const x = sx(table.time_s[i]);
      ctx.rect(x, box.y + tall * parts.indexOf(part), Math.max(1, sx(table.value[i]) - x), tall);
    }
    ctx.fill();
  },

  dots(ctx, { layer, table, column }, box, sx, sy) {
    const [from, to] = inSight(table.time_s, sx);
    const wide = (to - from < box.w / 4 ? 4 : 3) + (layer.wide ? 3 : 0);
    const put = sparse(2, (x, y) => ctx.rect(x - wide / 2, y - wide / 2, wide, wide));
    ctx.beginPath();
    for (let i = from; i < to; i++) put(sx(table.time_s[i]), sy(table[column][i]));
    ctx.fill();
  },

  cross(ctx, { table, column }, box, sx, sy) {
    const put = sparse(4, (x, y) => cross(ctx, x, y, 3.5));
    const [from, to] = inSight(table.time_s, sx);
    ctx.beginPath();
    for (let i = from; i < to; i++) put(sx(table.time_s[i]), sy(table[column][i]));
    ctx.stroke();
  },

  letters(ctx, { layer, table, column }, box, sx) {
    setFont(ctx, 11, "bold");
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    const [from, to] = inSight(table.time_s, sx);
    let free = -Infinity;
    for (let i = from; i < to; i++) {
      const x = sx(table.time_s[i]);
      if (x < free) continue;
      ctx.fillText(layer.letters[table[column][i]], x, box.y + 2);
      free = x + 9;
    }
  },
};
