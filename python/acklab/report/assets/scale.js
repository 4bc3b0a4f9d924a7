// Straight-line scales, round ticks, and finding a place in a sorted column.
export function linear(d0, d1, r0, r1) {
  const k = d1 === d0 ? 0 : (r1 - r0) / (d1 - d0);
  const to = (v) => r0 + (v - d0) * k;
  to.back = (r) => (k === 0 ? d0 : d0 + (r - r0) / k);
  to.domain = [d0, d1];
  to.range = [r0, r1];
  to.k = k;
  return to;
}

// Equal ratios at equal distances; what lies below the least value is drawn at it.
export function logarithmic(d0, d1, r0, r1) {
  const line = linear(Math.log10(d0), Math.log10(d1), r0, r1);
  const to = (v) => line(Math.log10(Math.max(v, d0)));
  to.back = (r) => 10 ** line.back(r);
  to.domain = [d0, d1];
  to.range = [r0, r1];
  return to;
}

// The powers of ten in sight; with few of them also 2 and 5 times each.
export function logTicks(from, to, most) {
  const decades = Math.log10(to / from);
  const steps = 3 * decades <= most ? [1, 2, 5] : [1];
  const each = Math.max(1, Math.ceil(decades / Math.max(1, most)));
  const out = [];
  for (let n = Math.floor(Math.log10(from)); n <= Math.log10(to); n += each) for (const m of steps) out.push(m * 10 ** n);
  return out.filter((v) => v >= from * 0.999999 && v <= to * 1.000001);
}

// The round step (1, 2, 5 times a power of ten) that gives at most `most` ticks.
export function niceStep(span, most) {
  if (!(span > 0)) return 1;
  const rough = span / Math.max(1, most);
  const power = Math.floor(Math.log10(rough));
  for (const m of [1, 2, 5, 10]) {
    const step = m * Math.pow(10, power);
    if (step >= rough * 0.999999) return step;
  }
  return Math.pow(10, power + 1);
}

export function ticksOf(from, to, step) {
  const out = [];
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  for (let n = first; n <= last && out.length < 200; n++) out.push(n * step);
  return out;
}

// First index in [from, to) whose value is >= v; `to` if there is none.
export function lowerBound(column, v, from = 0, to = column.length) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (column[middle] < v) from = middle + 1;
    else to = middle;
  }
  return from;
}

// First index whose value is > v.
export function upperBound(column, v, from = 0, to = column.length) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (column[middle] <= v) from = middle + 1;
    else to = middle;
  }
  return from;
}
