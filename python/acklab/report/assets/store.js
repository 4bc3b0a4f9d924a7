// An item's tables, opened when a chart first needs them, with what every chart derives alike.
import { openTable } from "./codec.js";
import { grouped } from "./format.js";
import { lowerBound, upperBound } from "./scale.js";
import { roleColour, state } from "./state.js";

export const FATE = { delivered: 0, drop: 1, lose: 2, filter: 3, flying: 4 };

export async function openItem(item, names) {
  const out = {};
  for (const name of names) {
    const about = item.tables[name];
    out[name] = about?.rows ? await openTable(about) : null;
  }
  return out;
}

// The flows that are drawn, as parts of a chart, each with what `open(item)` gives; `bulk` is as frame.js has it.
export function itemParts(needs, open, bulk = false) {
  const out = bulk ? state.leftOut() : [];
  return state.visible().filter((item) => !out.includes(item)).map((item) => ({
    id: item.id, run: item.run, group: item.group, name: item.name, slot: item.slot, item, open: () => open(item),
    recorded: state.manifest.runs[item.run].recorded[needs],
    colour: (role) => roleColour(item, role),
  }));
}

// The first of the times after t, or the last before it, by the direction; null if there is none.
export function nextTime(times, t, direction) {
  const i = times ? (direction > 0 ? upperBound(times, t) : lowerBound(times, t) - 1) : -1;
  return times?.[i] ?? null;
}

// How many of the times are in [t0, t1], and `record(i)` of the first of them.
export function timeRecords(times, t0, t1, most, record) {
  if (!times) return { count: 0, records: [] };
  const [from, to] = [lowerBound(times, t0), upperBound(times, t1)];
  return { count: to - from, records: Array.from({ length: Math.min(to - from, most) }, (_, k) => record(from + k)) };
}

// The data or the ACKs of an item, with their ends and the rows of each sort.
export async function openWays(item, kind) {
  const about = item.tables[kind];
  if (!about || !about.rows) return null;
  const ways = await openTable(about);
  if (ways.end) return ways;
  const n = ways.rows;
  const end = new Float64Array(n);
  const again = [];
  const lost = [];
  const alive = new Int32Array(n);
  let arrived = 0;
  let longest = 0;
  let last = -1;
  for (let i = 0; i < n; i++) {
    const fate = ways.flags[i] >> 3;
    const took = ways.took_s[i];
    // The rounding of the sum may move the last digit; nine decimals are what was stored.
    end[i] = Number.isNaN(took) ? NaN : Math.round((ways.sent_s[i] + took) * 1e9) / 1e9;
    if (took > longest) longest = took;
    if (fate === FATE.delivered) alive[arrived++] = last = i;
    else if (fate !== FATE.flying) lost.push(i);
    if (ways.flags[i] & 1) again.push(i);
  }
  Object.assign(ways, { end, longest, lastTook: last < 0 ? NaN : ways.took_s[last], again: rowsOf(ways, again), lost: rowsOf(ways, lost) });
  ways.arrivals = arrivalsOf(ways, alive.subarray(0, arrived));
  return ways;
}

function rowsOf(ways, rows) {
  const index = new Int32Array(rows);
  const sent = new Float64Array(index.length);
  for (let k = 0; k < index.length; k++) sent[k] = ways.sent_s[index[k]];
  return { index, sent };
}

// Arrivals in the order they came, which a path of several queues need not keep.
function arrivalsOf(ways, index) {
  let sorted = true;
  for (let k = 1; k < index.length && sorted; k++) sorted = ways.end[index[k]] >= ways.end[index[k - 1]];
  if (!sorted) index.sort((a, b) => ways.end[a] - ways.end[b] || a - b);
  const [time, number, highest] = [0, 0, 0].map(() => new Float64Array(index.length));
  let top = -Infinity;
  for (let k = 0; k < index.length; k++) {
    const i = index[k];
    time[k] = ways.end[i];
    number[k] = ways.number[i];
    highest[k] = top = number[k] > top ? number[k] : top;
  }
  return { index, time, number, highest };
}

export const fateOf = (ways, i) => ways.flags[i] >> 3;
export const isAgain = (ways, i) => (ways.flags[i] & 1) === 1;

// "segment 12 (retransmission)" or "bytes 1–1460": what a data packet carried.
export function carried(item, ways, i) {
  const first = ways.number[i];
  const n = ways.len[i];
  const what = item.unit === "bytes" ? `bytes ${grouped(first)}–${grouped(first + Math.max(n, 1) - 1)}` : n > 1 ? `segments ${grouped(first)}–${grouped(first + n - 1)}` : `segment ${grouped(first)}`;
  const marks = [ways.flags[i] & 2 ? "SYN" : "", ways.flags[i] & 4 ? "FIN" : "", isAgain(ways, i) ? "retransmission" : ""].filter(Boolean);
  return what + (marks.length ? ` (${marks.join(", ")})` : "");
}
