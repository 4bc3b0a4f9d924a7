// Tables of a page: a click on a heading sorts by it.
import { announce, h } from "./dom.js";

export function wireSorting() {
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll(".card table:not(.turned table)"))) {
    const body = table.tBodies[0];
    if (!table.tHead || table.tHead.rows.length !== 1 || !body || body.rows.length < 3 || body.querySelector("[rowspan], [colspan]")) continue;
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      if (!head.textContent.trim() || head.querySelector("button, a")) continue;
      const button = h("button", { type: "button", class: "sort" }, ...head.childNodes);
      button.addEventListener("click", () => {
        const values = [...body.rows].map((row) => value(row.cells[column]));
        const before = head.getAttribute("aria-sort");
        // Numbers fall first, texts rise.
        const up = before ? before === "descending" : values.some((one) => typeof one === "string");
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].map((row, place) => [values[place], row]);
        // What has no value stays at the end, whichever way the others go.
        rows.sort(([a], [b]) => Number(a === null) - Number(b === null) || (up ? 1 : -1) * order(a, b));
        body.append(...rows.map(([, row]) => row));
        announce(`Sorted by ${head.textContent}, ${up ? "ascending" : "descending"}`);
      });
      head.replaceChildren(button);
    }
  }
}

// A number where the cell begins with one, else its text; null where it is empty.
function value(cell) {
  const text = cell ? cell.textContent.trim() : "";
  if (["", "-", "\u2013"].includes(text)) return null;
  const number = Number.parseFloat(text.replace(/,/g, "").replace("\u2212", "-"));
  return Number.isNaN(number) ? text : number;
}

// Numbers before texts.
function order(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
