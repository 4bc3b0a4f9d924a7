// The numbers behind a chart as a table: the rows in sight, up to a readable many.
import { h } from "./dom.js";
import { exact, grouped } from "./format.js";
import { saveFile } from "./save.js";
import { scroller } from "./stack.js";
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
  const shown = (value, [, , decimals]) => (value === null || Number.isNaN(value) ? null : typeof value === "string" ? value : decimals === undefined ? exact(value) : value.toFixed(decimals));
  const columns = heads.map(([label, unit]) => ({ label, unit, text: unit === "" }));
  body.replaceChildren(
    h("div", { class: "more" },
      rows.length < total ? `The first ${grouped(rows.length)} of ${grouped(total)} rows in sight; zoom in to see others.` : `All ${grouped(total)} rows in sight.`,
      h("button", { type: "button", onclick: () => saveRows(frame) }, "Save rows in sight as CSV")),
    scroller(frame.spec.title + ", data", columns, rows.map((row) => row.map((value, i) => shown(value, heads[i]))), { stacked: false }));
}

function saveRows(frame) {
  const { rows } = recordsOf(frame, 2_000_000);
  const heads = headsOf(frame).map(([name, unit]) => (unit ? `${name} (${unit})` : name));
  const quote = (v) => (v === null || Number.isNaN(v) ? "" : typeof v === "string" ? `"${v.replaceAll('"', '""')}"` : String(v));
  const text = [heads, ...rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
  saveFile(new Blob([text], { type: "text/csv" }), frame.spec.id + ".csv");
}
