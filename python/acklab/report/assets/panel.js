// A panel of a chart in SVG, of which a stretch of the horizontal axis can be shown: marks move, texts keep their size.
import { tickLabels } from "./format.js";
import { linear, logTicks, logarithmic, niceStep, ticksOf } from "./scale.js";

const PAIR = /(-?[\d.]+(?:e[-+]?\d+)?) (-?[\d.]+(?:e[-+]?\d+)?)/g;

// An element of a drawing.
export const svgPart = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
};

export class Panel {
  // `area` says where the panel is and what its axes have; `series` are its points.
  constructor(svg, area, series) {
    this.group = svg.querySelector(`[id="${svg.id.replace(/-chart$/, "")}-${area.group}"]`);
    const [left, top, right, bottom] = area.box;
    this.left = left;
    this.top = top;
    this.right = right;
    this.bottom = bottom;
    this.area = area;
    this.series = series;
    this.key = JSON.stringify([area.x, area.ticks]);
    this.x = this.y = (v) => v;
    this.pieces = null;
  }

  holds(x, y) {
    return x >= this.left - 4 && x <= this.right + 4 && y >= this.top - 4 && y <= this.bottom + 4;
  }

  // The share of the whole axis at a place of the drawing as it is shown.
  share(x, [from, to]) {
    return from + ((Math.min(Math.max(x, this.left), this.right) - this.left) / (this.right - this.left)) * (to - from);
  }

  // Shows a stretch of the axis, in shares of the whole; the vertical axis follows what is in sight.
  show([from, to]) {
    const { left, right, top, bottom } = this;
    const whole = from <= 0 && to >= 1;
    const at = (share) => left + share * (right - left);
    this.x = linear(at(from), at(to), left, right);
    const [high, low] = whole || !this.area.y ? [top, bottom] : this.inSight(at(from), at(to));
    this.y = linear(high, low, top, bottom);
    this.pieces ||= this.gather();
    for (const move of this.pieces) move(this.x, this.y, whole);
    this.drawTicks(whole, from, to, high, low);
  }

  // The highest and lowest place of the points in a stretch, with their intervals and some room.
  inSight(from, to) {
    let [high, low] = [Infinity, -Infinity];
    for (const { points } of this.series) {
      for (const [x, y, , upper = y, lower = y] of points) {
        if (x < from - 0.5 || x > to + 0.5) continue;
        [high, low] = [Math.min(high, upper), Math.max(low, lower)];
      }
    }
    if (!(low >= high)) return [this.top, this.bottom];
    const room = Math.max(0.08 * (low - high), 0.02 * (this.bottom - this.top));
    return [Math.max(this.top, high - room), Math.min(this.bottom, low + room)];
  }

  // What moves: paths, marks, shaded areas; texts in the panel are hidden while a part is shown.
  gather() {
    const pieces = [];
    for (const child of this.group.children) {
      const kind = child.id.replace(/^.*-(?=[^-]+$)/, "");
      if (/^(patch|matplotlib)/.test(kind)) continue;
      if (/^text/.test(kind)) {
        const y = Number(child.querySelector("text")?.getAttribute("y"));
        if (y > this.top && y < this.bottom) pieces.push((_, __, whole) => child.setAttribute("visibility", whole ? "visible" : "hidden"));
        continue;
      }
      for (const use of child.querySelectorAll("use")) {
        const [x, y] = [Number(use.getAttribute("x")), Number(use.getAttribute("y"))];
        // A shaded area is one path with places of its own; a mark is a small path that is put somewhere.
        if (/Collection/.test(kind)) pieces.push((sx, sy) => use.setAttribute("transform", `translate(${sx(0)} ${sy(0)}) scale(${sx.k} ${sy.k})`));
        else pieces.push((sx, sy) => use.setAttribute("transform", `translate(${sx(x) - x} ${sy(y) - y})`));
      }
      for (const path of child.querySelectorAll("path")) {
        if (path.closest("defs")) continue;
        const places = path.getAttribute("d");
        pieces.push((sx, sy) => path.setAttribute("d", places.replace(PAIR, (_, x, y) => `${sx(Number(x)).toFixed(2)} ${sy(Number(y)).toFixed(2)}`)));
      }
    }
    return pieces;
  }

  drawTicks(whole, from, to, high, low) {
    this.ticks?.remove();
    this.ticks = null;
    const [along, up] = [...this.group.children].filter((child) => /matplotlib\.axis_\d+$/.test(child.id));
    for (const [axis, moves] of [[along, true], [up, this.area.y]]) {
      for (const tick of axis.children) if (/tick_\d+$/.test(tick.id)) tick.setAttribute("visibility", whole || !moves ? "visible" : "hidden");
    }
    if (whole) return;
    const { left, right, top, bottom, area } = this;
    this.ticks = svgPart("g", { class: "zoom-ticks" });
    const text = (axis) => axis.querySelector("[id*=tick_] text");
    const size = parseFloat(text(along)?.style.fontSize) || 9;
    const line = (x1, y1, x2, y2) => this.ticks.append(svgPart("path", { d: `M ${x1} ${y1} L ${x2} ${y2}` }));
    const write = (words, x, y, anchor) => {
      const label = svgPart("text", { x, y, "text-anchor": anchor, "font-size": size });
      label.textContent = words;
      this.ticks.append(label);
    };
    const scale = (ends, r0, r1) => (ends[2] ? logarithmic : linear)(ends[0], ends[1], r0, r1);
    const across = scale(area.x, left, right);
    const under = Number(text(along)?.getAttribute("y")) || bottom + size + 4;
    for (const [value, words] of ticksIn(area.x[2], across.back(left + from * (right - left)), across.back(left + to * (right - left)), 5, area.ticks, area.whole)) {
      const x = this.x(across(value));
      line(x, top, x, bottom);
      write(words, x, under, "middle");
    }
    if (area.y) {
      const upward = scale(area.y, bottom, top);
      for (const [value, words] of ticksIn(area.y[2], upward.back(low), upward.back(high), 5)) {
        const y = this.y(upward(value));
        line(left, y, right, y);
        write(words, left - 6, y + 0.36 * size, "end");
      }
    }
    // Below the marks.
    this.group.querySelector('[id*="matplotlib.axis"]').before(this.ticks);
  }
}

// Ticks with their words in a stretch of an axis; of one that has fixed places, those in sight.
function ticksIn(log, from, to, most, fixed, whole) {
  if (fixed) return fixed.filter(([value]) => value >= from && value <= to);
  if (from > to) [from, to] = [to, from];
  if (log) {
    const found = logTicks(from, to, most);
    if (found.length > 1) return found.map((value) => [value, threeFigures(value)]);
  }
  const step = Math.max(whole ? 1 : 0, niceStep(to - from, most));
  const found = ticksOf(from, to, step);
  const labels = tickLabels(found, step);
  return found.map((value, i) => [value, labels[i]]);
}

const threeFigures = (value) => String(Number(value.toPrecision(3)));
