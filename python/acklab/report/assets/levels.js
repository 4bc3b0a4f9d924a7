// Least and greatest value of any stretch of a column, from a pyramid of eights.
//
// Each level holds the least and greatest of eight neighbours of the level below; a
// stretch is answered from the largest blocks that fit, so drawing a million rows in a
// thousand columns of dots looks at some ten thousand numbers, at any zoom.
import { lowerBound } from "./scale.js";

const FAN = 8;

export class Extremes {
  constructor(values) {
    this.levels = [{ low: values, high: values }];
    let below = this.levels[0];
    while (below.low.length > FAN) {
      const n = Math.ceil(below.low.length / FAN);
      const low = new Float64Array(n);
      const high = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        let a = Infinity;
        let b = -Infinity;
        const end = Math.min(below.low.length, (i + 1) * FAN);
        for (let k = i * FAN; k < end; k++) {
          // A missing value (NaN) fails both comparisons and so is passed over.
          if (below.low[k] < a) a = below.low[k];
          if (below.high[k] > b) b = below.high[k];
        }
        low[i] = a;
        high[i] = b;
      }
      below = { low, high };
      this.levels.push(below);
    }
  }

  // [least, greatest] of rows from..to-1; [Infinity, -Infinity] if there is none.
  of(from, to) {
    let a = Infinity;
    let b = -Infinity;
    let level = 0;
    const look = (rows, i, end) => {
      for (; i < end; i++) {
        if (rows.low[i] < a) a = rows.low[i];
        if (rows.high[i] > b) b = rows.high[i];
      }
    };
    while (from < to) {
      const rows = this.levels[level];
      if (level === this.levels.length - 1 || to - from <= 2 * FAN) {
        look(rows, from, to);
        break;
      }
      const inner = Math.ceil(from / FAN);
      const outer = Math.floor(to / FAN);
      look(rows, from, inner * FAN);
      look(rows, outer * FAN, to);
      from = inner;
      to = outer;
      level++;
    }
    return [a, b];
  }
}

// Runs through the columns of dots (`wide` dots each) with rows in them: calls
// visit(x, from, to) with the rows whose times fall into each.
export function eachColumn(times, from, to, sx, visit, wide = 1) {
  let i = from;
  while (i < to) {
    const x = Math.floor(sx(times[i]) / wide) * wide;
    const end = Math.max(i + 1, lowerBound(times, sx.back(x + wide), i, to));
    visit(x, i, end);
    i = end;
  }
}
