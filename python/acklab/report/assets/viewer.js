// The charts over time with what moves them: the bar above, the switches of flows, the charts in their order.
import { linkSwitches, queueChart } from "./chart_queue.js";
import { rttChart } from "./chart_rtt.js";
import { sequenceChart } from "./chart_sequence.js";
import { throughputChart } from "./chart_throughput.js";
import { windowChart } from "./chart_window.js";
import { byId, chip, choice, cued, h } from "./dom.js";
import { MINUS } from "./format.js";
import { Frame, frames, invalidateAll } from "./frame.js";
import { keysHelp } from "./keys.js";
import { capturedChart, layersChart } from "./layers.js";
import { navigator_ } from "./navigator.js";
import { state } from "./state.js";
import { theme } from "./theme.js";
import { Timeline } from "./timeline.js";

function toolBar() {
  const { view } = state;
  const button = (text, label, action, more) => h("button", { type: "button", "aria-label": label, title: label, onclick: action, ...more }, text);
  const back = button("Back", "Back to the stretch before (Backspace)", () => view.back());
  const all = button("All", "All: show the whole run (0)", () => view.reset());
  const apart = choice("Flows and runs", [[false, "Overlaid"], [true, "Apart"]], state.apart, (v) => ((state.apart = v), invalidateAll()));
  const onlyOne = () => (apart.hidden = !state.several);
  onlyOne();
  state.watch(onlyOne);
  const tools = h("div", { class: "tools" },
    h("span", { class: "group" }, button(MINUS, "Zoom out", () => view.zoom(1 / 1.6)), button("+", "Zoom in", () => view.zoom(1.6)), all, back),
    navigator_.range,
    h("span", { class: "group push wide" }, choice("What dragging does", [["zoom", "Drag zooms"], ["move", "Drag moves"]], state.drag, (v) => (state.drag = v))),
    apart,
);
  view.watch(() => {
    back.disabled = !view.past.length;
    all.disabled = view.whole;
  });
  back.disabled = all.disabled = true;
  return tools;
}

// A switch for each flow, if they are not too many to be read.
function flowChips() {
  const row = h("div", { class: "chips", role: "group", "aria-label": "Flows drawn" });
  const fill = () => {
    row.hidden = !state.several;
    const items = state.items().filter((item) => !item.idle);
    const listed = items.length <= 14 ? items : state.visible().slice(0, 14);
    const others = items.length - listed.length;
    row.replaceChildren(...listed.map((item) => chip(item.name, state.shown.has(item.id), () => state.toggle(item.id), item.slot)),
      others ? h("span", { class: "note" }, `${others} more`) : "");
  };
  fill();
  state.watch(fill);
  return cued(row);
}

// The bar and these charts, each named, described by its layers, or named with words of its own.
export function startViewer(named) {
  byId("bar").append(h("div", { class: "bar-in" }, navigator_.build(), toolBar(), flowChips()));

  const specs = { sequence: sequenceChart, window: layersChart(windowChart), rtt: layersChart(rttChart), throughput: throughputChart };
  const charts = named.map((chart) => {
    if (chart.layers) return new Frame(capturedChart(chart));
    if (chart.id === "timeline") return new Timeline();
    return chart.id === "queue" ? queues(chart) : new Frame({ ...specs[chart.id], ...chart });
  });
  const bands = charts.find((chart) => chart instanceof Timeline);
  byId("charts").append(...charts.map((chart) => chart.element));
  pair(byId("chart-throughput"), byId("chart-rtt"));
  byId("charts").append(keysHelp());

  state.view.watch((what) => {
    if (what === "range") {
      bands?.hurry();
      invalidateAll();
    } else for (const frame of frames) if (frame.onScreen) frame.drawFront();
    navigator_.draw();
  });
  state.watch(() => {
    invalidateAll();
    navigator_.load();
  });
  theme.watchers.push(() => {
    // Print wants every chart, drawn at once, whether on screen or not.
    if (theme.printing) for (const frame of frames) frame.parts && frame.draw();
    else invalidateAll();
    navigator_.draw();
  });
}

// Two charts below each other in one card, where they are neighbours.
function pair(one, other) {
  if (!one || !other) return;
  const [upper, lower] = one.nextSibling === other ? [one, other] : [other, one];
  if (upper.nextSibling !== lower) return;
  const card = h("div", { class: "card pair" });
  upper.before(card);
  card.append(upper, lower);
}

let queueFrame = null;

function queues({ unit, ...chart }) {
  queueFrame = new Frame({ ...layersChart(queueChart), ...chart });
  linkSwitches(queueFrame, unit);
  return queueFrame;
}

// Other runs in the place of those before: draws what is in sight at once, the rest when it comes in sight.
export async function renew(manifest) {
  const links = ({ runs }) => JSON.stringify(runs.map((run) => run.queues.map((queue) => queue.link).sort()));
  const others = !state.manifest || links(state.manifest) !== links(manifest);
  state.start(manifest);
  if (others) linkSwitches(queueFrame);
  for (const frame of frames) frame.data.clear();
  state.tell();
  await Promise.all(frames.filter((frame) => frame.onScreen).map((frame) => frame.update()));
}

// Draws what is in sight first and notes how long that took since the page was asked for.
export async function opened() {
  const height = innerHeight;
  const open = frames.filter((frame) => frame.element.checkVisibility());
  const seen = open.filter((frame) => frame.element.getBoundingClientRect().top < height);
  await Promise.all(seen.map((frame) => ((frame.onScreen = true), frame.update())));
  await navigator_.load();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  document.documentElement.dataset.openedMs = String(Math.round(performance.now()));
  // The others when there is time, so that scrolling finds them drawn.
  for (const frame of open) {
    if (!frame.parts) await frame.update();
    await new Promise((done) => setTimeout(done));
  }
  document.documentElement.dataset.readyMs = String(Math.round(performance.now()));
}
