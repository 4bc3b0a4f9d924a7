// The numbers of one run, or of two below each other, and in what their scenarios differ.
import { h } from "./dom.js";
import { NB, duration, grouped, si } from "./format.js";
import { scroller } from "./stack.js";

const percent = (share) => `${(100 * share).toFixed(1)}${NB}%`;

// Heading, and what it says of a flow and of the two directions of the file's last link, which the sliders change.
/** @type {[string, (flow: any, there: any, back: any) => string][]} */
const NUMBERS = [
  ["completed in", (flow) => (flow.completion_s === null ? "–" : duration(flow.completion_s))],
  ["goodput", (flow) => si(flow.goodput_bps) + "b/s"],
  ["segments", (flow) => grouped(flow.segments_sent)],
  ["sent again", (flow) => grouped(flow.retransmits)],
  ["fast rtx", (flow) => grouped(flow.fast_retransmits)],
  ["timeouts", (flow) => grouped(flow.timeouts)],
  ["ACKs sent", (flow) => grouped(flow.acks_sent)],
  ["ACKs lost", (flow) => grouped(flow.acks_dropped)],
  ["filtered", (flow) => grouped(flow.acks_filtered)],
  ["mean RTT", (flow) => (flow.mean_rtt_s === null ? "–" : duration(flow.mean_rtt_s, 3))],
  ["link busy", (flow, there) => percent(there.utilisation)],
  ["mean queue", (flow, there) => there.mean_queue_packets.toFixed(1)],
  ["drops", (flow, there) => grouped(there.drops)],
  ["lost", (flow, there) => grouped(there.lost)],
  ["return busy", (flow, there, back) => percent(back.utilisation)],
];
const RARE = ["completed in", "ACKs lost", "filtered", "lost"];
const MOST_FLOWS = 4;

export function numbers(runs, compared) {
  const several = runs.some((run) => run.result.summary.flows.length > 1);
  const rows = runs.flatMap((run) => {
    const { result: { summary: { flows } }, there, back } = run;
    return flows.slice(0, MOST_FLOWS).map((flow) => ({ run, flow, cells: NUMBERS.map(([, cell]) => cell(flow, there, back)) }));
  });
  // What says nothing of any flow is left out.
  const columns = NUMBERS.map(([name], i) => ({ name, i })).filter(({ name, i }) => !RARE.includes(name) || rows.some(({ cells }) => !["0", "–"].includes(cells[i])));
  const titles = runs.map((run) => run.result.summary.title).filter((title, i, all) => title && all.indexOf(title) === i);
  const heads = [{ label: compared ? "run" : "flow", text: true }, ...columns.map(({ name }) => ({ label: name }))];
  const nameOf = (run, flow) => (compared ? [h("span", { class: "swatch", style: { "--c": `var(--slot-${run.slot})` } }), ` ${run.name}`, several && ` · ${flow.name}`] : flow.name);
  return [
    h("h2", {}, titles.join(" · ") || "Numbers"),
    scroller("Numbers", heads, rows.map(({ run, flow, cells }) => [nameOf(run, flow), ...columns.map(({ i }) => cells[i])])),
    runs.some((run) => run.result.summary.flows.length > MOST_FLOWS) ? h("p", { class: "note" }, `The first ${MOST_FLOWS} flows of each run; the charts have switches for others.`) : "",
    compared && runs.length > 1 ? differences(runs) : "",
  ];
}

// Lines that only one of the scenarios has.
function differences(runs) {
  const lines = runs.map((run) => run.shown.split("\n").map((line) => line.trim()).filter(Boolean));
  const only = lines.map((mine, i) => mine.filter((line) => !lines[1 - i].includes(line)));
  if (!only.flat().length) return h("p", { class: "note" }, "Both runs have the same scenario.");
  return h("ul", { class: "differs", "aria-label": "What differs" }, runs.map((run, i) => h("li", {}, h("b", {}, run.name + " "), only[i].join("  ") || "without that line")));
}
