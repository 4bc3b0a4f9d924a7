// Tables that a script makes, as a telephone shows them.

// Most rows of a table that becomes blocks there; longer ones stay tables and are pushed along.
export const MOST_STACKED = 40;
// Most letters of a cell that shares its line with others.
const LONG = 14;

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
