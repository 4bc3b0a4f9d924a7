// Tables that a script makes.
import { h } from "./dom.js";

// Most rows of a table that a telephone shows as blocks; longer ones stay tables and are pushed along.
const MOST_STACKED = 40;
// Most columns with the usual space between them.
const MOST_ROOMY = 13;
// Most letters of a cell that shares its line with others.
const LONG = 14;

// A table in what it is pushed along in. Heads are {label, unit, text, about}; a cell is text, elements, or null where
// there is no value.
export function scroller(name, heads, rows, { caption = "", stacked = rows.length <= MOST_STACKED } = {}) {
  const kindOf = (cell, head) => (head.text ? "text" : cell === null ? "none" : null);
  const cells = (row) => row.map((cell, i) => h("td", { class: kindOf(cell, heads[i]) }, cell ?? "–"));
  const lines = rows.map((row) => h("tr", {}, cells(row)));
  if (stacked) for (const line of lines) stack(line, heads.map(headText));
  const top = heads.map(({ label, unit, text, about }) => (label
    ? h("th", { scope: "col", class: text ? "text" : null, title: about },
      label, unit !== undefined && h("span", { class: "unit" }, unit))
    : h("td", {})));
  const kinds = [stacked && "stacked", heads.length > MOST_ROOMY && "dense"].filter(Boolean).join(" ");
  return h("div", { class: "scroller", tabindex: "0", role: "group", "aria-label": name },
    h("table", { class: kinds || null },
      caption && h("caption", {}, caption),
      h("thead", {}, h("tr", {}, top)),
      h("tbody", {}, lines)));
}

// A heading as one text.
export const headText = ({ label, unit }) => [label, unit].filter(Boolean).join(", ");

// Prepares a row for a telephone: the first words and what has no heading name it, and each other cell says its heading.
function stack(row, heads) {
  let named = true;
  let last = null;
  for (const [i, cell] of [...row.cells].entries()) {
    const text = cell.textContent.trim();
    cell.dataset.head = heads[i];
    named = named && (!heads[i] || !text || (cell.classList.contains("text") && i < 2 && (i < 1 || heads[0])));
    // A group of one value has its name.
    cell.classList.toggle("empty", !text || (named && last !== null && text.startsWith(last.textContent.trim())));
    cell.classList.toggle("named", named);
    cell.classList.toggle("long", text.length > LONG);
    if (named && text) last = cell;
  }
}
