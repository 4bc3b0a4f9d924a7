// Tables of a page, as a telephone shows them.

// Most rows of a table that becomes blocks on a telephone; longer ones stay tables and are pushed along.
export const MOST_STACKED = 40;
// And most cells of one.
const MOST_CELLS = 130;
// Most letters of a cell that shares its line with others there.
const LONG = 14;
// A row of few columns and letters fits a telephone as it is.
const FITS = { columns: 3, letters: 34 };
// A table of numbers alone is compared down its columns, so that it stays one up to so many.
const NUMERIC_COLUMNS = 6;

export function wireControls() {
  // On a telephone the rows of short tables are blocks, in which each cell says its heading.
  for (const table of document.querySelectorAll("table")) {
    const heads = [...(table.tHead ? table.tHead.rows[0].cells : [])].map((head) => head.textContent);
    if (!heads.length || table.className || table.rows.length > MOST_STACKED || table.rows.length * heads.length > MOST_CELLS) continue;
    if (heads.length <= NUMERIC_COLUMNS && ![...table.tHead.rows[0].cells].some((head) => head.classList.contains("text"))) {
      table.className = "numbers";
      continue;
    }
    const letters = [...table.tBodies[0].rows].map((row) => row.textContent.trim().length);
    if (heads.length > 1 && heads.length <= FITS.columns && Math.max(...letters) <= FITS.letters) continue;
    table.className = "stacked";
    for (const row of table.tBodies[0].rows) stack(row, heads);
  }
}

// Prepares a row for a telephone: the first words and what has no heading name it, and each other cell says its heading.
export function stack(row, heads) {
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
  if (last) last.classList.add("last");
}
