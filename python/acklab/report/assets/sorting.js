// Tables of a page: a click on a heading sorts by it.
import { announce, h } from "./dom.js";

export function wireSorting() {
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll(".card table"))) {
    const body = table.tBodies[0];
    if (!table.tHead || table.tHead.rows.length !== 1 || !body || body.rows.length < 3 || body.querySelector("[rowspan], [colspan]")) continue;
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      if (!head.textContent.trim() || head.querySelector("button, a")) continue;
      const button = h("button", { type: "button", class: "sort" }, ...head.childNodes);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
        rows.sort(([a], [b]) => (up ? 1 : -1) * order(a, b));
        body.append(...rows.map(([, row]) => row));
        announce(`Sorted by ${head.textContent}, ${up ? "ascending" : "descending"}`);
      });
      head.replaceChildren(button);
    }
  }
}

// A number where the cell begins with one, else its text.
function value(cell) {
  const text = cell ? cell.textContent.trim() : "";
  const number = Number.parseFloat(text.replace(/,/g, "").replace("\u2212", "-"));
  return Number.isNaN(number) ? text : number;
}

// Numbers before texts.
function order(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a.localeCompare(b);
}
