// The numbers behind a chart as a table: the rows in sight, up to a readable many.
import { h } from "./dom.js";
import { exact, grouped } from "./format.js";
import { saveFile } from "./save.js";
import { state } from "./state.js";

const MOST_ROWS = 200;

export function dataTable(frame) {
  const body = h("div", {});
  const details = h("details", { class: "data", ontoggle: () => refreshDataTable(frame, true) }, h("summary", {}, "Data table"), body);
  frame.table = { details, body };
  return details;
}

export function refreshDataTable(frame, opened = false) {
  const { details, body } = frame.table;
  if (!details.open || !frame.parts) return;
  clearTimeout(frame.table.timer);
  frame.table.timer = setTimeout(() => fillDataTable(frame, body), opened ? 0 : 250);
}

// [heading, unit, decimals] of each column; "unit" stands for what sequence numbers count.
function headsOf(frame) {
  const counted = [...new Set(frame.parts.map((part) => part.item && part.item.unit))].join("/");
  return [[frame.spec.partName || "flow", ""], ...frame.spec.columns.map(([name, unit, ...more]) => [name, unit === "unit" ? counted : unit, ...more])];
}

// [name of part, ...values] rows of all parts in sight.
function recordsOf(frame, most) {
  const { view } = state;
  const rows = [];
  let total = 0;
  for (const part of frame.parts) {
    const { count, records } = frame.spec.records(part, frame.data.get(part.id), view.from, view.to, most);
    total += count;
    for (const record of records) rows.push([part.name, ...record]);
  }
  rows.sort((a, b) => a[1] - b[1]);
  return { total, rows: rows.slice(0, most) };
}

function fillDataTable(frame, body) {
  const { total, rows } = recordsOf(frame, MOST_ROWS);
  const heads = headsOf(frame);
  const cell = (value, column) => {
    const text = typeof value === "string";
    const empty = value === null || Number.isNaN(value);
    return h("td", { class: text ? "text" : empty ? "none" : null }, empty ? "–" : text ? value : column[2] !== undefined ? value.toFixed(column[2]) : exact(value));
  };
  body.replaceChildren(
    h("div", { class: "more" },
      rows.length < total ? `The first ${grouped(rows.length)} of ${grouped(total)} rows in sight; zoom in to see others.` : `All ${grouped(total)} rows in sight.`,
      h("button", { type: "button", onclick: () => saveRows(frame) }, "Save rows in sight as CSV")),
    h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": frame.spec.title + ", data" },
      h("table", {},
        h("caption", { class: "unseen" }, frame.spec.title),
        h("thead", {}, h("tr", {}, heads.map(([name, unit]) => h("th", { scope: "col", class: unit === "" ? "text" : null }, name, h("span", { class: "unit" }, unit || ""))))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value, i) => cell(value, heads[i]))))))));
}

function saveRows(frame) {
  const { rows } = recordsOf(frame, 2_000_000);
  const heads = headsOf(frame).map(([name, unit]) => (unit ? `${name} (${unit})` : name));
  const quote = (v) => (v === null || Number.isNaN(v) ? "" : typeof v === "string" ? `"${v.replaceAll('"', '""')}"` : String(v));
  const text = [heads, ...rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
  saveFile(new Blob([text], { type: "text/csv" }), frame.spec.id + ".csv");
}
