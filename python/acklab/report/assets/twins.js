// Curves that coincide: one of them is drawn, and the chart's legend says which others it stands for.

const comparisons = new WeakMap();

// Parts whose curves coincide with an earlier part's, each with that one. Only the earlier is drawn, in its own colour: two over each
// other would have the colour of neither.
export function twins(parts, data) {
  const found = [];
  // Asked once, before they are drawn: drawing adds to what is known of a table.
  const same = (one, other) => {
    const known = comparisons.get(one) || comparisons.set(one, new WeakMap()).get(one);
    if (!known.has(other)) known.set(other, equalTables(one, other));
    return known.get(other);
  };
  parts.forEach((part, i) => {
    const drawn = parts.slice(0, i).find((other) => !found.some(([twin]) => twin === other) && same(data.get(other.id), data.get(part.id)));
    if (drawn) found.push([part, drawn]);
  });
  return found;
}

// Whether two values are equal all the way down: numbers, tables, and arrays of numbers.
function equalTables(/** @type {any} */ a, /** @type {any} */ b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  const plain = ArrayBuffer.isView(a);
  if (plain !== ArrayBuffer.isView(b)) return false;
  /** @type {any[]} */
  const [keys, others] = plain ? [a, b] : [Object.keys(a), Object.keys(b)];
  if (keys.length !== others.length) return false;
  for (let i = 0; i < keys.length; i++) {
    if (!(plain ? Object.is(a[i], b[i]) : equalTables(a[keys[i]], b[keys[i]]))) return false;
  }
  return true;
}
