// Puts the page together.
import { linkSwitches, queueChart } from "./chart_queue.js";
import { rttChart } from "./chart_rtt.js";
import { sequenceChart } from "./chart_sequence.js";
import { throughputChart } from "./chart_throughput.js";
import { windowChart } from "./chart_window.js";
import { byId, choice, h } from "./dom.js";
import { layersChart } from "./chart_layers.js";
import { wireControls } from "./controls.js";
import { wireFragment } from "./fragment.js";
import { MINUS } from "./format.js";
import { Frame, frames, invalidateAll } from "./frame.js";
import { keysHelp } from "./keys.js";
import { navigator_ } from "./navigator.js";
import { state } from "./state.js";
import { summary } from "./summary.js";
import { sortableTable } from "./tables.js";
import { startTheme, theme } from "./theme.js";
import { Timeline } from "./timeline.js";

function toolBar() {
  const { view } = state;
  const button = (text, label, action, more) => h("button", { type: "button", "aria-label": label, title: label, onclick: action, ...more }, text);
  const back = button("Back", "Back to the stretch before (Backspace)", () => view.back());
  const all = button("All", "All: show the whole run (0)", () => view.reset());
  const tools = h("div", { class: "tools" },
    h("span", { class: "group" }, button(MINUS, "Zoom out", () => view.zoom(1 / 1.6)), button("+", "Zoom in", () => view.zoom(1.6)), all, back),
    navigator_.range,
    h("span", { class: "group push wide" }, choice("What dragging does", [["zoom", "Drag zooms"], ["move", "Drag moves"]], state.drag, (v) => (state.drag = v))),
    state.several ? choice("Flows and runs", [[false, "Overlaid"], [true, "Apart"]], state.apart, (v) => ((state.apart = v), invalidateAll())) : null,
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
  if (!state.several) return null;
  const items = state.items();
  const row = h("div", { class: "chips", role: "group", "aria-label": "Flows drawn" });
  const fill = () => {
    const listed = items.length <= 14 ? items : state.visible().slice(0, 14);
    const others = items.length - listed.length;
    row.replaceChildren(...listed.map((item) => h("button", { type: "button", class: "chip", "aria-pressed": String(state.shown.has(item.id)), style: { "--c": `var(--slot-${item.slot})` }, onclick: () => state.toggle(item.id) }, h("span", { class: "swatch" }), item.name)),
      others ? h("span", { class: "note" }, `${others} more in the table of flows`) : "");
  };
  fill();
  state.watch(fill);
  return row;
}

function start() {
  const manifest = JSON.parse(byId("manifest").textContent);
  startTheme(manifest.palette);
  wireControls();
  state.start(manifest);
  fillReport(manifest);
  byId("bar").append(h("div", { class: "bar-in" }, navigator_.build(), toolBar(), flowChips()));

  const specs = { sequence: sequenceChart, window: windowChart, rtt: rttChart, throughput: throughputChart };
  // A chart is named, described by its layers, or named with words of its own.
  const charts = manifest.charts.map((chart) => {
    if (chart.layers) return new Frame(layersChart(chart));
    if (chart.id === "timeline") return new Timeline();
    return chart.id === "queue" ? queues() : new Frame({ ...specs[chart.id], ...chart });
  });
  const bands = charts.find((chart) => chart instanceof Timeline);
  byId("charts").append(...charts.map((chart) => chart.element));
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
  wireFragment(state.view);
  theme.watchers.push(() => {
    // Print wants every chart, drawn at once, whether on screen or not.
    if (theme.printing) for (const frame of frames) frame.parts && frame.draw();
    else invalidateAll();
    navigator_.draw();
  });
  return opened();
}

function queues() {
  const frame = new Frame(queueChart);
  linkSwitches(frame);
  return frame;
}

// The words and tables of a run's report, which the pages of other verbs do not have.
function fillReport({ runs, title, tables }) {
  if (!tables) return;
  const seeds = [...new Set(runs.map((run) => run.seed).filter((seed) => seed !== null))];
  byId("kicker").textContent = [title, runs.length > 1 ? `${runs.length} runs` : "", seeds.length ? `seed ${seeds.slice(0, 6).join(", ")}` : ""].filter(Boolean).join(" · ");
  byId("summary").append(...summary().filter(Boolean));
  byId("tables").append(sortableTable({ title: "Flows", kind: "flows", table: tables.flows, about: "Sort by a click on a heading." }));
  if (tables.links.rows.length) byId("tables").append(sortableTable({ title: "Links", kind: "links", table: tables.links, about: "One row for each direction of a link." }));
}

// Draws what is in sight first and notes how long that took since the page was asked for.
export async function opened() {
  const height = innerHeight;
  const seen = frames.filter((frame) => frame.element.getBoundingClientRect().top < height);
  await Promise.all(seen.map((frame) => ((frame.onScreen = true), frame.update())));
  await navigator_.load();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  document.documentElement.dataset.openedMs = String(Math.round(performance.now()));
  // The others when there is time, so that scrolling finds them drawn.
  for (const frame of frames) {
    if (!frame.parts) await frame.update();
    await new Promise((done) => setTimeout(done));
  }
  document.documentElement.dataset.readyMs = String(Math.round(performance.now()));
}

start();
