// Queue lengths of the links, and the packets that died there.
import { nextTime, timeRecords, withAlpha } from "./chart_window.js";
import { openTable } from "./codec.js";
import { choice, cued, h } from "./dom.js";
import { NB, exact, grouped, timeText } from "./format.js";
import { cross, rowAt, sparse, stepLine, stepRange } from "./marks.js";
import { lowerBound, upperBound } from "./scale.js";
import { state } from "./state.js";
import { theme } from "./theme.js";

const shownLinks = new Set();
let unit = "ms";
const key = () => (unit === "ms" ? "wait_ms" : "queue_packets");
// The queue's length, or its wait, when a packet died there.
const level = (queue, drops, i) => (unit === "ms" ? queue?.wait_ms[rowAt(queue.time_s, drops.time_s[i])] : drops.queue_packets[i]) || 0;
// The wait of packets that had not left when the run ended is not known: its line ends before.
function known(queue) {
  if (unit !== "ms") return null;
  if (queue.known === undefined) {
    let last = queue.rows - 1;
    while (last >= 0 && Number.isNaN(queue.wait_ms[last])) last--;
    queue.known = last + 1 < queue.rows ? queue.time_s[last + 1] : null;
  }
  return queue.known;
}
const waitText = (queue, i) => (i < 0 || Number.isNaN(queue.wait_ms[i]) ? [] : [["they left after", exact(queue.wait_ms[i], 3) + NB + "ms"]]);

export const queueChart = {
  id: "queue",
  title: "Queues",
  about: "Packets waiting for a link, and the time until as many had left, which at the end of the run is not known; a cross is a packet dropped, lost or filtered there.",
  needs: "queue",
  height: 210,
  partName: "link",
  // Each link of a single run has a panel, whose title names it.
  ownColours: () => !state.compared,
  axis: () => (unit === "ms" ? state.manifest.axes.wait : { ...state.manifest.axes.queue, whole: true }),
  roles: [
    { key: "queue", name: "waiting", sample: "area" },
    { key: "drop", name: "dropped, lost or filtered", sample: "cross", there: ({ drops }) => drops },
  ],
  columns: [["time", "s", 9], ["length", "packets"], ["wait", "ms", 3], ["event", ""], ["what", ""]],

  // The links of the runs; at first only one, a full one, is drawn.
  parts() {
    const out = [];
    state.manifest.runs.forEach((run, r) => {
      run.queues.forEach((queue) => {
        if (!shownLinks.has(r + ":" + queue.link)) return;
        out.push({
          id: r + ":" + queue.link, run: r, group: queue.link.replace("->", "→"), queue, slot: state.compared ? run.slot : undefined, name: (state.compared ? run.label + " · " : "") + queue.link.replace("->", "→"),
          colour: (role) => (state.compared ? theme.slots[run.slot] : theme.roles[role]),
          open: async () => ({ queue: queue.table.rows ? await openTable(queue.table) : null, drops: queue.drops.rows ? await openTable(queue.drops) : null }),
        });
      });
    });
    return out;
  },

  range(part, { queue }, t0, t1) {
    return queue ? [0, Math.max(0, stepRange(queue, queue.time_s, key(), t0, t1)[1])] : [0, 1];
  },

  draw(ctx, part, { queue, drops }, box, sx, sy, frame) {
    if (queue && frame.on.queue) {
      ctx.strokeStyle = part.colour("queue");
      ctx.lineWidth = 1.2 + 1.4 * frame.under;
      stepLine(ctx, queue, queue.time_s, key(), sx, sy, { until: known(queue), fill: withAlpha(part.colour("queue"), state.compared && frame.parts.length > 2 ? 0.08 : 0.2) });
    }
    if (drops && frame.on.drop) {
      ctx.strokeStyle = part.colour("drop");
      ctx.lineWidth = 1.7 + 1.6 * frame.under;
      ctx.beginPath();
      const put = sparse(4, (x, y) => cross(ctx, x, y, 3.5 + frame.under));
      for (let i = lowerBound(drops.time_s, sx.domain[0]); i < drops.rows && drops.time_s[i] <= sx.domain[1]; i++) put(sx(drops.time_s[i]), sy(level(queue, drops, i)));
      ctx.stroke();
    }
  },

  near(part, { queue, drops }, x, y, sx, sy, frame, exactly) {
    const t = exactly ? state.view.cursor : sx.back(x);
    if (drops && frame.on.drop) {
      const [from, to] = [lowerBound(drops.time_s, sx.back(x - 6)), upperBound(drops.time_s, sx.back(x + 6))];
      let best = -1;
      for (let i = from; i < to; i++) if (best < 0 || Math.abs(drops.time_s[i] - t) < Math.abs(drops.time_s[best] - t)) best = i;
      if (best >= 0 && (exactly || Math.abs(sy(level(queue, drops, best)) - y) < 12)) {
        return {
          away: 0, title: `${part.name}: ${lossName(drops, best)}`, x: sx(drops.time_s[best]), y: sy(level(queue, drops, best)),
          rows: [["at", exact(drops.time_s[best]) + NB + "s"], ["packet", lossWhat(part, drops, best)], ["queue then", exact(drops.queue_packets[best]) + NB + "packets"], ...(queue ? waitText(queue, rowAt(queue.time_s, drops.time_s[best])) : [])],
        };
      }
    }
    if (!queue) return null;
    const i = rowAt(queue.time_s, t);
    if (i < 0) return null;
    const at = sy(queue[key()][i] || 0);
    return {
      away: Math.abs(at - y), title: timeText(t, state.view.span / 1000), x, y: at,
      rows: [[part.name, exact(queue.queue_packets[i]) + NB + "packets", part.colour("queue")], ...waitText(queue, i), ["since", exact(queue.time_s[i]) + NB + "s"], ...(part.queue.thinned ? [["", "extremes only: this queue changed too often to keep each step"]] : [])],
    };
  },

  next(part, { queue, drops }, t, direction) {
    return nextTime(drops && drops.rows < 500 ? drops : queue, t, direction);
  },

  records(part, { queue, drops }, t0, t1, most) {
    const lengths = timeRecords(queue, t0, t1, most, (i) => [queue.time_s[i], queue.queue_packets[i], queue.wait_ms[i], "length", ""]);
    const losses = timeRecords(drops, t0, t1, most, (i) => [drops.time_s[i], drops.queue_packets[i], NaN, lossName(drops, i), lossWhat(part, drops, i)]);
    return { count: lengths.count + losses.count, records: [...lengths.records, ...losses.records] };
  },
};

const lossName = (drops, i) => ({ drop: "dropped", lose: "lost", filter: "filtered" })[state.manifest.names.fates[drops.event[i]]];

function lossWhat(part, drops, i) {
  const flow = state.items().filter((item) => item.run === part.run)[drops.flow[i]];
  return `${flow ? flow.flow : ""} ${drops.kind[i] ? "ACK " + grouped(drops.ack[i]) : "data " + grouped(drops.seq[i])}`;
}

// Switches for the links and the unit, beside the chart's heading.
export function linkSwitches(frame, first = unit) {
  const { runs } = state.manifest;
  shownLinks.clear();
  frame.extra.replaceChildren();
  const timed = runs.every((run) => run.queues.every(({ timed }) => timed));
  unit = timed ? first : "packets";
  if (timed) frame.extra.append(choice("Unit of queues", [["ms", "ms"], ["packets", "packets"]], unit, (v) => ((unit = v), frame.invalidate())));
  // The link where packets wait longest in the first run, so that runs are compared on one link; where a run has it not, its own.
  const most = (queues, value) => queues.reduce((best, queue) => (!best || value(queue) > value(best) ? queue : best), null);
  const fullest = most(runs.find((run) => run.queues.length)?.queues || [], (queue) => queue.wait_s || 0)?.link;
  for (const [r, run] of runs.entries()) {
    const shown = run.queues.find((queue) => queue.link === fullest) || run.queues[0];
    if (shown) shownLinks.add(r + ":" + shown.link);
  }
  // And where most are dropped, and ACKs wait, of a run alone: with several, a colour is a run.
  const losing = runs.length === 1 && most(runs[0].queues, (queue) => queue.drops.rows || 0);
  if (losing && losing.drops.rows) shownLinks.add("0:" + losing.link);
  const acks = runs.length === 1 && runs[0].queues.find((queue) => queue.acks && queue.top > 1 && !(queue.wait_s < 1e-3));
  if (acks) shownLinks.add("0:" + acks.link);
  const links = [...new Set(runs.flatMap((run) => run.queues.map((queue) => queue.link)))];
  if (links.length < 2) return;
  const listed = 8;
  const group = h("div", { class: "chips", role: "group", "aria-label": "Links" }, links.slice(0, listed).map((link) => {
    const keys = runs.map((run, r) => r + ":" + link).filter((key, r) => runs[r].queues.some((queue) => queue.link === link));
    const on = () => keys.some((key) => shownLinks.has(key));
    const button = h("button", { type: "button", class: "chip", "aria-pressed": String(on()), onclick: () => {
      const was = on();
      for (const key of keys) was ? shownLinks.delete(key) : shownLinks.add(key);
      button.setAttribute("aria-pressed", String(!was));
      frame.invalidate();
    } }, link.replace("->", "→"));
    return button;
  }));
  frame.extra.append(cued(group));
}
