// The flow and link tables, numbers in line.
import { MOST_STACKED, stack } from "./stack.js";
import { h } from "./dom.js";
import { grouped, significant } from "./format.js";
import { state } from "./state.js";

// Most runs that stand side by side on a narrow screen.
const MOST_TURNED = 4;

// Most columns with the usual space between them.
const MOST_ROOMY = 13;

export function sortableTable({ title, about, table, kind }) {
  const { runs } = state.manifest;
  const body = h("tbody");

  const columns = [...(state.compared ? [{ key: "run", label: "run", unit: "", text: true }] : []), ...table.columns];
  // A column of numbers of one kind has the same decimals all the way down.
  for (const column of columns) {
    const values = table.rows.map((row) => row[column.key]).filter((v) => v !== null && v !== undefined);
    column.text = column.text || values.some((v) => typeof v === "string");
    column.places = column.text || values.every(Number.isInteger) ? 0 : column.digits ?? 2;
  }

  const value = (row, column) => (column.key === "run" ? runs[row.run].label : row[column.key] ?? null);

  body.replaceChildren(...table.rows.map((row) => h("tr", {}, columns.map((column, i) => {
    const v = value(row, column);
    const text = v === null ? "–" : column.text ? String(v) : numberText(v, column);
    const content = kind === "flows" && column.key === "name" && state.several ? flowSwitch(row, text) : i === 0 && column.key === "run" ? [h("span", { class: "swatch", style: { "--c": `var(--slot-${runs[row.run].slot})` } }), " ", text] : text;
    return h("td", { class: column.text ? "text" : v === null ? "none" : null }, content);
  }))));
  for (const row of body.rows) stack(row, columns.map((column) => [column.label, column.unit].filter(Boolean).join(", ")));
  const head = h("tr", {}, columns.map((column) => h("th", { scope: "col", class: column.text ? "text" : null, title: column.about || null }, column.label, h("span", { class: "unit" }, column.unit || ""))));
  // On a narrow screen: of each flow or link a table whose columns are the runs.
  const named = table.columns.filter((column) => ["name", "link"].includes(column.key))[0];
  const turned = [];
  if (state.compared && runs.length <= MOST_TURNED && named) {
    for (const name of new Set(table.rows.map((row) => row[named.key]))) {
      const mine = table.rows.filter((row) => row[named.key] === name);
      const told = (row, column) => (value(row, column) === null ? "–" : column.text ? String(value(row, column)) : numberText(value(row, column), column));
      turned.push(h("table", { class: "turned" }, h("caption", {}, name),
        h("thead", {}, h("tr", {}, h("td", {}), mine.map((row) => h("th", { scope: "col" }, h("span", { class: "swatch", style: { "--c": `var(--slot-${runs[row.run].slot})` } }), " ", runs[row.run].label)))),
        h("tbody", {}, columns.filter((column) => !["run", named.key].includes(column.key)).map((column) => h("tr", {}, h("th", { scope: "row" }, [column.label, column.unit].filter(Boolean).join(", ")), mine.map((row) => h("td", { class: column.text ? "text" : null }, told(row, column))))))));
    }
  }
  if (kind === "flows") state.watch(() => body.querySelectorAll("input[data-item]").forEach((box) => (box.checked = state.shown.has(Number(box.dataset.item)))));
  return h("section", { class: "card", "aria-labelledby": kind + "-title" },
    h("h2", { id: kind + "-title" }, title),
    h("div", { class: "scroller", tabindex: "0", role: "group", "aria-labelledby": kind + "-title" },
      h("table", { class: [table.rows.length > MOST_STACKED ? "" : "stacked", columns.length > MOST_ROOMY ? "dense" : ""].join(" ").trim() || null }, h("caption", {}, about), h("thead", {}, head), body), turned));
}

const numberText = (v, column) => (column.figures ? significant(v, column.figures) : grouped(v, column.places));

// A flow's name with the switch that draws it or not.
function flowSwitch(row, text) {
  const item = state.items().find((other) => other.run === row.run && other.flow === row.name);
  if (!item || item.idle) return text;
  return h("label", {},
    h("input", { type: "checkbox", "data-item": String(item.id), checked: state.shown.has(item.id), style: { "--c": `var(--slot-${item.slot})` }, onchange: (event) => state.toggle(item.id, event.target.checked) }),
    h("span", { class: "swatch", style: { "--c": `var(--slot-${item.slot})` } }), text);
}
