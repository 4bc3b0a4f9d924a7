// The explorer: a scenario changes, the simulator runs it, and the charts of a run's report draw it again.
import { copyButton } from "./command.js";
import { announce, byId, chip, h } from "./dom.js";
import { controls } from "./explorer_controls.js";
import { readAddress, writeAddress } from "./explorer_address.js";
import { facts } from "./explorer_finding.js";
import { numbers } from "./explorer_numbers.js";
import { prepare, runScenario } from "./explorer_runner.js";
import { replaced, valueOf } from "./explorer_text.js";
import { tour } from "./explorer_tour.js";
import { aside, wireAsides } from "./narrow.js";
import { saveFile } from "./save.js";
import { startTheme } from "./theme.js";
import { state } from "./state.js";
import { opened, renew, startViewer } from "./viewer.js";

const kit = JSON.parse(byId("kit").textContent);
const RUN_NAMES = ["A", "B"];

// One or two scenarios: each has its text, the text that was run last, and its run or why there is none; and of the last run
// that succeeded the result and its text, which are drawn.
let sides = [{ text: kit.presets[0].text, ran: null, result: null, drawn: "", why: "", from: kit.presets[0] }];
let side = 0;
let busy = false;
let changed = 0;
let drawn = false;
let begun = false;

const panel = panelParts();

function panelParts() {
  const set = controls((text) => change(text), kit.queues);
  const none = h("option", { value: "" });
  const preset = /** @type {HTMLSelectElement} */ (h("select", { id: "preset", onchange: () => {
    sides[side].from = kit.presets[Number(preset.value)];
    change(sides[side].from.text);
  } }, none, kit.presets.map(({ name }, i) => h("option", { value: String(i) }, name))));
  const box = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "toml", spellcheck: "false", autocomplete: "off", "aria-label": "Scenario in TOML", "aria-describedby": "why", oninput: () => {
    clearTimeout(typing);
    typing = setTimeout(() => change(box.value, true), 250);
  } }));
  let typing = 0;
  const row = h("div", { class: "sides", role: "group", "aria-label": "Runs" });
  const why = h("p", { class: "wrong", id: "why", role: "status" });
  const link = /** @type {HTMLInputElement} */ (h("input", { readonly: true, hidden: true, "aria-label": "Link to these scenarios" }));
  const command = h("code", {}, "acklab run scenario.toml --out run --open");
  byId("panel").append(row,
    h("div", { class: "field" }, h("label", { for: "preset" }, "Start from"), preset),
    set.element, why,
    h("details", {}, h("summary", {}, "The scenario (TOML)"), box),
    h("div", { class: "copies" },
      h("button", { type: "button", id: "save-toml", onclick: () => saveFile(new Blob([sides[side].text], { type: "application/toml" }), "scenario.toml") }, "Save the scenario"),
      h("button", { type: "button", id: "copy-toml", onclick: () => copy(sides[side].text, "The scenario is copied.") }, "Copy the scenario"),
      h("button", { type: "button", id: "copy-link", onclick: async () => copy(await writeAddress(sides), "The link is copied. It holds the scenarios.") }, "Copy a link")),
    link,
    h("p", { class: "note" }, "Every table and packet of a saved scenario: ", command, " ", copyButton(command)));
  const copy = (text, said) => navigator.clipboard.writeText(text).then(() => announce(said), () => {
    // Where the browser forbids it the reader copies.
    link.hidden = false;
    link.value = text;
    link.select();
  });
  return {
    show(typed) {
      const now = sides[side];
      if (!typed) box.value = now.text;
      const at = kit.presets.findIndex(({ text }) => text === now.text);
      if (at >= 0) now.from = kit.presets[at];
      none.textContent = now.from ? now.from.name + (now.from.text === now.text ? "" : ", changed") : "choose a path …";
      preset.value = at < 0 ? "" : String(at);
      set.show(now.text);
      row.replaceChildren(...sides.map((_, i) => chip(`Run ${RUN_NAMES[i]}`, i === side, () => selectRun(i), sides.length > 1 && kit.runs[i])),
        sides.length < 2 ? h("button", { type: "button", id: "add", onclick: () => put([sides[0].text, sides[0].text], 1) }, "Compare with a second run")
          : h("button", { type: "button", id: "remove", onclick: () => put([sides[side].text]) }, "Keep only this run"));
    },
    said() {
      const { why: reason, ran, text } = sides[side];
      why.textContent = reason && ran === text ? reason + (sides[side].result ? "\nThe charts still show the run before." : "") : "";
      box.setAttribute("aria-invalid", String(Boolean(reason)));
    },
  };
}

function change(text, typed = false) {
  sides[side].text = text;
  panel.show(typed);
  return refresh();
}

function selectRun(i) {
  side = i;
  panel.show();
  panel.said();
}

// Other scenarios in place of those here; a run of the same text is kept.
function put(texts, chosen = 0, from = []) {
  const known = sides;
  sides = texts.map((text, i) => {
    const same = known.find((old) => old.ran === text);
    return { text, ran: same ? text : null, result: same ? same.result : known[i] ? known[i].result : null, drawn: same ? same.drawn : known[i] ? known[i].drawn : "", why: same ? same.why : "", from: from[i] || (known.find((old) => old.text === text) || {}).from };
  });
  side = chosen;
  panel.show();
  return refresh(true);
}

// Runs what has changed, and draws. While that goes on, only the newest of further changes waits.
async function refresh(always = false) {
  changed++;
  if (always) drawn = false;
  if (busy) return;
  busy = true;
  const began = performance.now();
  let ms = 0;
  for (let seen = -1; seen !== changed;) {
    seen = changed;
    for (const one of sides) {
      if (one.ran === one.text) continue;
      const { text } = one;
      const result = await runScenario(text);
      Object.assign(one, { ran: text, why: result.why || "" }, result.why ? {} : { result, drawn: text });
      ms += result.ms || 0;
      drawn = false;
      if (seen !== changed) break;
    }
    panel.said();
    if (drawn || !sides.some((one) => one.result)) continue;
    drawn = true;
    const before = performance.now();
    await drawRuns();
    const { dataset } = document.documentElement;
    dataset.took = JSON.stringify({ run_ms: ms, draw_ms: performance.now() - before, all_ms: performance.now() - began });
    dataset.drawn = String(Number(dataset.drawn || 0) + 1);
  }
  busy = false;
  document.documentElement.dataset.settled = String(changed);
  writeAddress(sides, true);
}

async function drawRuns() {
  const shown = sides.filter((one) => one.result);
  const manifest = {
    ...kit.constants,
    runs: shown.map((one, r) => ({
      label: RUN_NAMES[sides.indexOf(one)], title: one.result.summary.title, seed: one.result.summary.seed, end_s: one.result.summary.end_s,
      slot: kit.runs[r], queues: one.result.charts.queues, recorded: { series: true, queue: true, packets: true },
    })),
    items: shown.flatMap((one, r) => one.result.charts.items.map((item, i) => ({ ...item, run: r, slot: shown.length > 1 ? kit.runs[r] : kit.order[i % kit.order.length] }))),
  };
  const told = shown.map((one, r) => ({ name: RUN_NAMES[sides.indexOf(one)], slot: kit.runs[r], result: one.result, shown: one.drawn, ...linkOf(one) }));
  byId("about").textContent = ["acklab explorer", [...new Set(told.map((run) => run.result.summary.title).filter(Boolean))].join(" · ")].filter(Boolean).join(": ");
  byId("numbers").replaceChildren(...numbers(told, shown.length > 1));
  const [headline, ...more] = facts(kit.templates, told);
  byId("finding").textContent = headline;
  byId("facts").replaceChildren(...more.map((text) => h("li", {}, text)));
  byId("now").textContent = shown.map((one) => {
    const carried = one.result.summary.flows.reduce((sum, flow) => sum + (flow.goodput_bps || 0), 0);
    return `${shown.length > 1 ? RUN_NAMES[sides.indexOf(one)] + " " : ""}${(carried / 1e6).toPrecision(3)} Mb/s`;
  }).join(", ");
  if (begun) return renew(manifest);
  begun = true;
  state.start(manifest);
  startViewer(kit.charts);
  return opened();
}

// The two directions of the link that the sliders change.
function linkOf({ drawn, result: { summary: { links } } }) {
  const [a, b] = (valueOf(drawn, "link.-1.between") || "").match(/[^\s",[\]]+/g) || [];
  const find = (from, to, i) => links.findLast((link) => link.from === from && link.to === to) || links[i];
  return { there: find(a, b, 0), back: find(b, a, 1) };
}

async function startExplorer() {
  startTheme(kit.constants.palette);
  wireAsides();
  const sheet = /** @type {HTMLDetailsElement} */ (byId("sheet"));
  if (innerWidth <= 900) sheet.open = false;
  // The first picture stands above the opened sheet.
  sheet.addEventListener("toggle", () => {
    if (innerWidth <= 900 && sheet.open) scrollTo({ top: byId("viewer").getBoundingClientRect().top + scrollY, behavior: "instant" });
  });
  const steps = tour(kit.steps, (step) => {
    const texts = [step.scenario, ...(step.other ? [Object.entries(step.other).reduce((text, [path, value]) => replaced(text, path, value), step.scenario)] : [])];
    return put(texts, 0, texts.map((text) => ({ name: `The tour: ${step.title}`, text })));
  });
  byId("tour").append(aside(`A tour in ${kit.steps.length} steps`, steps));
  try {
    await prepare();
  } catch (error) {
    byId("why").textContent = `The simulator could not be started in this browser: ${error.message}`;
    return undefined;
  }
  const read = async () => {
    const texts = await readAddress();
    if (texts) put(texts);
  };
  addEventListener("hashchange", read);
  const texts = (await readAddress()) || (kit.opened.length ? kit.opened : [sides[0].text]);
  return put(texts);
}

startExplorer();
