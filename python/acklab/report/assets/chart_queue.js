// Queue lengths of the links, and the packets that died there.
import { openTable } from "./codec.js";
import { chip, choice, cued, h } from "./dom.js";
import { NB, exact, grouped } from "./format.js";
import { rowAt } from "./marks.js";
import { state } from "./state.js";
import { nextTime, timeRecords } from "./store.js";
import { theme } from "./theme.js";

const shownLinks = new Set();
let unit = "ms";
const column = () => (unit === "ms" ? "wait_ms" : "queue_packets");
const waitText = (wait) => (Number.isNaN(wait) ? [] : [["they left after", exact(wait, 3) + NB + "ms"]]);
const packetsText = (packets) => exact(packets) + NB + "packets";
const shortOf = (link) => link.replace("->", "→");

export const queueChart = {
  id: "queue",
  title: "Queues",
  about: "Packets waiting for a link, and the time until as many had left, which at the end of the run is not known; a cross is a packet dropped, lost or filtered there.",
  needs: "queue",
  height: 210,
  partName: "link",
  holds: true,
  // Each link of a single run has a panel, whose title names it.
  ownColours: () => !state.compared,
  axis: () => (unit === "ms" ? state.manifest.axes.wait : { ...state.manifest.axes.queue, whole: true }),
  layers: [
    { key: "queue", name: "waiting", kind: "steps", column, sample: "area", line: 1.2, fill: true },
    { key: "drop", name: "dropped, lost or filtered", kind: "cross", table: "drops", column, line: 1.7 },
  ],
  columns: [["time", "s", 9], ["length", "packets"], ["wait", "ms", 3], ["event", ""], ["what", ""]],

  // The links of the runs; at first only one, a full one, is drawn.
  parts() {
    const links = state.manifest.runs.flatMap((run, r) => run.queues.map((queue) => ({ run, r, queue, id: r + ":" + queue.link })));
    return links.filter(({ id }) => shownLinks.has(id)).map(({ run, r, queue, id }) => ({
      id, run: r, queue, group: shortOf(queue.link), slot: state.compared ? run.slot : undefined,
      name: (state.compared ? run.label + " · " : "") + shortOf(queue.link),
      colour: (role) => (state.compared ? theme.slots[run.slot] : theme.roles[role]),
      open: () => openQueue(queue),
    }));
  },

  tell(part, { queue, drops }, table, i) {
    if (table === queue) {
      const thinned = part.queue.thinned ? [["", "extremes only: this queue changed too often to keep each step"]] : [];
      return [["length", packetsText(queue.queue_packets[i])], ...waitText(queue.wait_ms[i]), ["since", exact(queue.time_s[i]) + NB + "s"], ...thinned];
    }
    return [[lossName(drops, i), lossWhat(part, drops, i)], ["queue then", packetsText(drops.queue_packets[i])], ...waitText(drops.wait_ms[i])];
  },

  next(part, { queue, drops }, t, direction) {
    return nextTime((drops && drops.rows < 500 ? drops : queue)?.time_s, t, direction);
  },

  records(part, { queue, drops }, t0, t1, most) {
    const lengths = timeRecords(queue?.time_s, t0, t1, most, (i) => [queue.time_s[i], queue.queue_packets[i], queue.wait_ms[i], "length", ""]);
    const losses = timeRecords(drops?.time_s, t0, t1, most, (i) => [drops.time_s[i], drops.queue_packets[i], NaN, lossName(drops, i), lossWhat(part, drops, i)]);
    return { count: lengths.count + losses.count, records: [...lengths.records, ...losses.records] };
  },
};

// The queue, and what died there, with the wait of the queue at that time.
async function openQueue({ table, drops: lost }) {
  const [queue, drops] = [table.rows ? await openTable(table) : null, lost.rows ? await openTable(lost) : null];
  if (drops) drops.wait_ms ||= Float64Array.from(drops.time_s, (time) => queue?.wait_ms[rowAt(queue.time_s, time)] || 0);
  return { queue, drops };
}

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
    const button = chip(shortOf(link), on(), () => {
      const was = on();
      for (const key of keys) was ? shownLinks.delete(key) : shownLinks.add(key);
      button.setAttribute("aria-pressed", String(!was));
      frame.invalidate();
    });
    return button;
  }));
  frame.extra.append(cued(group));
}
