// Puts the page of a report together.
import { byId } from "./dom.js";
import { wireFragment } from "./fragment.js";
import { state } from "./state.js";
import { summary } from "./summary.js";
import { runTable } from "./tables.js";
import { opened, startViewer } from "./viewer.js";
import { wirePage } from "./wiring.js";

function start() {
  const manifest = JSON.parse(byId("manifest").textContent);
  state.start(manifest);
  fillReport(manifest);
  wirePage(manifest.palette);
  startViewer(manifest.charts);
  wireFragment(state.view);
  return opened();
}

// The words and tables of a run's report, which the pages of other verbs do not have.
function fillReport({ runs, title, changed, tables }) {
  if (!tables) return;
  const seeds = [...new Set(runs.map((run) => run.seed).filter((seed) => seed !== null))];
  byId("kicker").textContent = [title, changed?.length ? `changed: ${changed.join(", ")}` : "", runs.length > 1 ? `${runs.length} runs` : "", seeds.length ? `seed ${seeds.slice(0, 6).join(", ")}` : ""].filter(Boolean).join(" · ");
  byId("summary").append(...summary().filter(Boolean));
  byId("tables").append(runTable({ title: "Flows", kind: "flows", table: tables.flows, about: "One row for each flow." }));
  if (tables.links.rows.length) byId("tables").append(runTable({ title: "Links", kind: "links", table: tables.links, about: "One row for each direction of a link." }));
  if (tables.ignored?.rows.length) byId("tables").append(runTable({ title: "Rules that the kernel does not follow", kind: "ignored", table: tables.ignored, about: "The scenario's value, and what the kernel has." }));
}

start();
