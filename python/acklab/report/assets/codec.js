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

function readColumn(bytes, start, rows, { planes, scale = 1, signed: folded, delta, nullable }) {
  const out = new Float64Array(rows);
  for (let plane = 0, weight = 1; plane < planes; plane++, weight *= 256) {
    const base = start + plane * rows;
    for (let i = 0; i < rows; i++) out[i] += bytes[base + i] * weight;
  }
  // Dividing by a whole number instead of multiplying by its inverse keeps 0.3 at 0.3.
  const divide = Math.round(1 / scale);
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    let v = out[i];
    // Folded: 0, -1, 1, -2, ...; the odd ones are negative.
    if (folded) v = v % 2 ? -(v + 1) / 2 : v / 2;
    if (delta) v = sum += v;
    if (nullable) v = v === 0 ? NaN : v - 1;
    out[i] = scale < 1 ? v / divide : v * scale;
  }
  return out;
}
