// The words under the headline, and where each flow's time went.
import { h } from "./dom.js";
import { duration } from "./format.js";
import { state } from "./state.js";

const CAUSES = { timeout: "waiting for a timer", recovery: "loss recovery", window: "flight at its ceiling", "slow start": "slow start", path: "congestion avoidance" };

const NAMED = ["path", "together", "fairness"];

export function summary() {
  const { headline, runs } = state.manifest;
  const compared = headline.points.some((point) => point.run !== null);
  const points = h("ul", { class: "points" + (compared ? " compared" : "") }, headline.points.filter((point) => point.about !== "time").map((point) => {
    const run = runs.find((r) => r.label === point.run);
    return h("li", {}, run ? h("span", { class: "who" }, h("span", { class: "swatch", style: { "--c": `var(--slot-${run.slot})` } }), " ", run.label) : null, h("span", {}, words(point)));
  }));
  return [points, spentBars()];
}

// What a path or a group of flows is called stands out.
function words({ about, text }) {
  const end = NAMED.includes(about) ? text.indexOf(": ") : -1;
  return end < 0 ? text : [h("b", {}, text.slice(0, end)), text.slice(end)];
}

function spentBars() {
  const { runs, limits } = state.manifest;
  const rows = limits.filter((row) => row.spans.length).slice(0, 12);
  if (!rows.length) return null;
  const name = (row) => (state.compared ? runs[row.run].label + (limits.filter((r) => r.run === row.run).length > 1 ? " · " + row.flow : "") : row.flow);
  // From the first data of all: who begins later stands further to the right.
  const begin = Math.min(...rows.map((row) => row.from_s));
  const longest = Math.max(...rows.map((row) => row.from_s - begin + row.active_s));
  const seen = Object.keys(CAUSES).filter((cause) => rows.some((row) => row.seconds[cause]));
  const order = ["slow start", "path", "window", "recovery", "timeout"];
  // Beside the colours of runs or of several flows the causes are greys.
  const greys = state.compared || state.several;
  const grey = (cause) => [8, 20, 34, 75, 95][order.indexOf(cause)];
  const colour = (cause) => (greys ? `color-mix(in srgb, var(--ink) ${grey(cause)}%, var(--surface))` : `var(--slot-${state.manifest.palette.roles[cause]})`);
  const words = (cause) => (greys ? (grey(cause) < 50 ? "var(--ink)" : "var(--surface)") : ["slow start", "window"].includes(cause) ? "var(--on-bright)" : "var(--surface)");
  return h("div", { class: "spent", role: "group", "aria-label": "Where the time went" },
    rows.map((row) => h("div", { class: "spent-row" },
      h("span", { title: name(row) }, name(row)),
      h("div", { class: "spent-bar", role: "img", "aria-label": name(row) + ": " + order.filter((cause) => row.seconds[cause]).map((cause) => `${CAUSES[cause]} ${duration(row.seconds[cause], 3)}`).join(", "), style: { width: `${(100 * row.active_s) / longest}%`, "margin-left": `${(100 * (row.from_s - begin)) / longest}%` } },
        row.spans.map((span) => {
          // A length is written where there is room for it.
          const tight = (span.s / longest) * Math.min(innerWidth - 28, 1200) < 66;
          return h("span", { class: tight ? "tight" : null, style: { "--c": colour(span.cause), "--t": words(span.cause), flex: `${span.s} 1 0` }, title: `${CAUSES[span.cause]}: ${duration(span.s)} from ${duration(span.from_s)}` }, tight ? "" : duration(span.s, 3));
        })))),
    h("div", { class: "spent-keys", "aria-hidden": "true" }, order.filter((cause) => seen.includes(cause)).map((cause) => h("span", {}, h("span", { class: "swatch", style: { "--c": colour(cause) } }), rows.length > 1 ? CAUSES[cause] : `${CAUSES[cause]} ${duration(rows[0].seconds[cause], 3)}`))));
}
