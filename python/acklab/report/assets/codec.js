// The data blocks read back: base64, gzip, byte planes, differences (written by encode.py).
import { byId } from "./dom.js";

const decoded = new Map();

// A table's columns as typed arrays, by name; each block is opened once, when first asked for. A page that computes its
// tables has them at once.
export function openTable(about) {
  if (about.table) return about.table;
  if (!decoded.has(about.block)) decoded.set(about.block, readTable(about));
  return decoded.get(about.block);
}

async function readTable(about) {
  const element = byId("block-" + about.block);
  const bytes = await inflate(fromBase64(element.textContent));
  element.remove();
  const table = { rows: about.rows };
  let at = 0;
  for (const column of about.columns) {
    table[column.name] = readColumn(bytes, at, about.rows, column);
    at += about.rows * column.planes;
  }
  return table;
}

export function fromBase64(text) {
  const quick = /** @type {any} */ (Uint8Array);
  if (quick.fromBase64) return quick.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function readColumn(bytes, start, rows, column) {
  const small = !column.wide;
  const raw = small ? joinSmall(bytes, start, rows, column.planes) : joinLarge(bytes, start, rows, column.planes);
  // Dividing by a whole number instead of multiplying by its inverse keeps 0.3 at 0.3.
  const scale = column.scale || 1;
  const divide = scale < 1 ? Math.round(1 / scale) : 1;
  const { signed: folded, delta, nullable } = column;
  if (small && !folded && !delta && !nullable && divide === 1) return raw;
  const out = new Float64Array(rows);
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    let v = raw[i];
    // Folded: 0, -1, 1, -2, ...; the odd ones are negative.
    if (folded) v = small ? (v >>> 1) ^ -(v & 1) : v % 2 ? -(v + 1) / 2 : v / 2;
    if (delta) v = sum += v;
    out[i] = !nullable ? v / divide : v === 0 ? NaN : (v - 1) / divide;
  }
  return out;
}

function joinSmall(bytes, start, rows, planes) {
  const out = new Int32Array(rows);
  for (let plane = 0; plane < planes; plane++) {
    const base = start + plane * rows;
    const shift = 8 * plane;
    for (let i = 0; i < rows; i++) out[i] |= bytes[base + i] << shift;
  }
  return out;
}

// Beyond 31 bits, in doubles, which are whole up to 53.
function joinLarge(bytes, start, rows, planes) {
  const out = new Float64Array(rows);
  for (let plane = 0, weight = 1; plane < planes; plane++, weight *= 256) {
    const base = start + plane * rows;
    for (let i = 0; i < rows; i++) out[i] += bytes[base + i] * weight;
  }
  return out;
}
