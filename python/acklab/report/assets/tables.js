// The flow and link tables, numbers in line.
import { h } from "./dom.js";
import { grouped, significant } from "./format.js";
import { headText, scroller } from "./stack.js";
import { state } from "./state.js";

// Most runs that stand side by side on a narrow screen.
const MOST_TURNED = 4;

export function runTable({ title, about, table, kind }) {
  const { runs } = state.manifest;
  const columns = [...(state.compared ? [{ key: "run", label: "run", unit: "", text: true }] : []), ...table.columns];
  // A column of numbers of one kind has the same decimals all the way down.
  for (const column of columns) {
    const values = table.rows.map((row) => row[column.key]).filter((v) => v !== null && v !== undefined);
    column.text = column.text || values.some((v) => typeof v === "string");
    column.places = values.every(Number.isInteger) ? 0 : column.digits ?? 2;
  }
  const rows = table.rows.map((row) => columns.map((column) => cellOf(row, column, kind)));
  const turns = state.compared && runs.length <= MOST_TURNED && ["flows", "links"].includes(kind);
  const part = h("section", { class: "card", "aria-labelledby": kind + "-title" },
    h("h2", { id: kind + "-title" }, title),
    scroller(title, columns, rows, { caption: about }),
    turns && h("div", { class: "turned" }, turned(table)));
  state.watch(() => {
    const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (part.querySelectorAll("input[data-item]"));
    for (const box of boxes) box.checked = state.shown.has(Number(box.dataset.item));
  });
  return part;
}

// Of each flow or link a table whose columns are the runs, for a telephone. The first column is its name.
function turned({ columns: [named, ...columns], rows }) {
  return Array.from(new Set(rows.map((row) => row[named.key])), (name) => {
    const own = rows.filter((row) => row[named.key] === name);
    const heads = [{ label: "", text: true }, ...own.map((row) => ({ label: cellOf(row, { key: "run" }) }))];
    const lines = columns.map((column) => [headText(column), ...own.map((row) => cellOf(row, column))]);
    return scroller(name, heads, lines, { caption: name, stacked: false });
  });
}

function cellOf(row, column, kind = "") {
  if (column.key === "run") {
    const { label, slot } = state.manifest.runs[row.run];
    return [h("span", { class: "swatch", style: { "--c": `var(--slot-${slot})` } }), " ", label];
  }
  const value = row[column.key] ?? null;
  if (kind === "flows" && column.key === "name" && state.several) return flowSwitch(row, value);
  if (value === null || column.text) return value;
  return column.figures ? significant(value, column.figures) : grouped(value, column.places);
}

// A flow's name with the switch that draws it or not.
function flowSwitch(row, text) {
  const item = state.items().find((other) => other.run === row.run && other.flow === row.name);
  if (!item || item.idle) return text;
  const style = { "--c": `var(--slot-${item.slot})` };
  return h("label", {},
    h("input", {
      type: "checkbox", "data-item": String(item.id), checked: state.shown.has(item.id), style,
      onchange: () => state.toggle(item.id),
    }),
    h("span", { class: "swatch", style }), text);
}
