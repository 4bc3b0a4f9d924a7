// Numbers as text. Exact values are written out in full, axis labels as short as they can be.
export const NB = "\u00a0";
export const MINUS = "\u2212";

/** @type {[number, string][]} */
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

const signed = (text) => text.replace("-", MINUS);

// As many decimals as it takes, up to `most`, without trailing zeros.
export function exact(value, most = 9) {
  if (!Number.isFinite(value)) return "–";
  const text = value.toFixed(most);
  return signed(text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

// A time with the digits that tell two dots of the screen apart.
export function timeText(seconds, perDot) {
  const decimals = perDot > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(perDot)) + 1)) : 6;
  return signed(seconds.toFixed(decimals)) + NB + "s";
}

export function duration(seconds, n = 4) {
  const a = Math.abs(seconds);
  if (a >= 1 || a === 0) return figures(seconds, n) + NB + "s";
  if (a >= 1e-3) return figures(seconds * 1e3, n) + NB + "ms";
  if (a >= 1e-6) return figures(seconds * 1e6, n) + NB + "µs";
  return figures(seconds * 1e9, n) + NB + "ns";
}

function figures(value, n) {
  if (value === 0) return "0";
  const decimals = Math.max(0, n - 1 - Math.floor(Math.log10(Math.abs(value))));
  return signed(value.toFixed(Math.min(12, decimals)));
}

// 1,234,567: the form of `acklab.text.numbers.grouped`.
export function grouped(value, decimals) {
  const text = decimals === null || decimals === undefined ? exact(value, 6) : value.toFixed(decimals);
  const [whole, part] = text.split(".");
  const out = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return signed(part ? out + "." + part : out);
}

// So many significant figures, with all digits before the point.
export function significant(value, n) {
  return value === 0 ? "0" : grouped(value, Math.max(0, n - 1 - Math.floor(Math.log10(Math.abs(value)) + 1e-12)));
}

export function si(value, n = 3) {
  const a = Math.abs(value);
  for (const [factor, prefix] of PREFIXES) {
    if (a >= factor * 0.9999995) return figures(value / factor, n).replace(/\.?0+$/, (m) => (m.includes(".") ? "" : m)) + NB + prefix;
  }
  return exact(value, 3) + NB;
}

// The prefix for an axis up to `top`: its factor and its letter.
export function prefixFor(top) {
  return PREFIXES.find(([factor]) => top >= factor) || [1, ""];
}

// Labels for ticks `step` apart, all with the same decimals, in units of `factor`.
export function tickLabels(ticks, step, factor = 1) {
  const decimals = Math.max(0, -Math.floor(Math.log10(step / factor) + 1e-9));
  return ticks.map((t) => (t === 0 ? "0" : grouped(t / factor, Math.min(decimals, 9))));
}
