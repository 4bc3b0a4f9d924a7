// Charts in SVG: the values of the point that is nearest to the pointer, or that the arrow keys reach, and stretches of their axes.
//   drag, wheel (focused, or with Ctrl), + and −: zoom · one finger sideways: move · double click, 0: all · Backspace: back
import { announce, h } from "./dom.js";
import { MINUS } from "./format.js";
import { Panel, svgPart } from "./panel.js";

// How near the pointer has to be, in the chart's units.
const REACH = 24;
// The smallest share of an axis that is shown.
const LEAST = 1 / 500;

export function wireFigures() {
  for (const figure of document.querySelectorAll("figure")) {
    const data = figure.querySelector("script.chart-points");
    const svg = /** @type {SVGSVGElement | null} */ (figure.querySelector(":scope > svg"));
    if (data && svg) wire(figure, svg, JSON.parse(data.textContent));
  }
}

function wire(figure, svg, { series, panels: areas }) {
  const panels = areas.map((area, number) => new Panel(svg, area, series.filter((one) => one.panel === number)));
  const root = svg.querySelector('[id$="figure_1"]') || svg;
  const put = (name, attributes) => {
    const made = svgPart(name, attributes);
    // Inside the drawing, so that the copies for narrow screens show it, too.
    root.append(made);
    return made;
  };
  const chosen = put("rect", { class: "zoom-choice", width: "0", height: "0" });
  const mark = put("circle", { class: "point-mark", r: "4" });
  const tip = h("div", { class: "point-tip", hidden: true });
  figure.append(tip);
  let at = { series: 0, point: -1 };
  // What is shown of each kind of axis, in shares of the whole; panels with equal axes move together.
  const shown = new Map(panels.map((panel) => [panel.key, [0, 1]]));
  const past = [];

  // Where a point is drawn now, or null if it is out of sight.
  function place({ series: i, point }) {
    const panel = panels[series[i].panel];
    const [x, y] = series[i].points[point];
    if (!panel) return [x, y];
    const to = [panel.x(x), panel.y(y)];
    return to[0] < panel.left - 1 || to[0] > panel.right + 1 || to[1] < panel.top - 1 || to[1] > panel.bottom + 1 ? null : to;
  }

  function show(where, spoken) {
    at = where;
    const panel = panels[series[at.series].panel];
    if (panel && !place(at)) {
      // A key went on to a point that is out of sight.
      const [from, to] = shown.get(panel.key);
      const middle = panel.share(series[at.series].points[at.point][0], [0, 1]);
      zoom(panel, middle - (to - from) / 2, middle + (to - from) / 2);
    }
    const [x, y] = place(at) || [0, 0];
    mark.setAttribute("cx", x);
    mark.setAttribute("cy", y);
    mark.classList.add("on");
    const { name, points } = series[at.series];
    const text = points[at.point][2];
    tell(name ? `${name}: ${text}` : text);
    const box = figure.getBoundingClientRect();
    const dot = mark.getBoundingClientRect();
    if (dot.width) {
      tip.style.left = `${Math.max(0, Math.min(dot.left - box.left + 12, box.width - tip.offsetWidth - 4))}px`;
      tip.style.top = `${Math.max(0, dot.top - box.top - tip.offsetHeight - 6)}px`;
    }
    if (spoken) announce(tip.textContent);
  }

  function tell(text) {
    tip.textContent = text;
    tip.hidden = false;
  }

  function hide() {
    mark.classList.remove("on");
    tip.hidden = true;
  }

  function nearest(x, y, reach) {
    let best = null;
    let least = Infinity;
    for (const [i, one] of series.entries()) {
      const most = Math.pow(one.reach || reach, 2);
      for (const j of one.points.keys()) {
        const to = place({ series: i, point: j });
        if (!to) continue;
        const far = (to[0] - x) ** 2 + (to[1] - y) ** 2;
        if (far < least && far < most) [best, least] = [{ series: i, point: j }, far];
      }
    }
    return best;
  }

  function zoom(panel, from, to, remember = true) {
    const wide = Math.min(1, Math.max(LEAST, to - from));
    from = Math.min(Math.max(0, from), 1 - wide);
    if (remember) past.push([panel.key, shown.get(panel.key)]);
    shown.set(panel.key, [from, from + wide]);
    for (const one of panels) if (one.key === panel.key) one.show([from, from + wide]);
    hide();
  }

  const by = (panel, factor, middle) => {
    const [from, to] = shown.get(panel.key);
    const centre = middle ?? (from + to) / 2;
    zoom(panel, centre - (centre - from) / factor, centre + (to - centre) / factor);
  };
  const all = () => panels.forEach((panel) => shown.get(panel.key)[1] - shown.get(panel.key)[0] < 1 && zoom(panel, 0, 1));
  const back = () => {
    const [key, range] = past.pop() || [];
    const panel = panels.find((one) => one.key === key);
    if (panel) zoom(panel, range[0], range[1], false);
  };
  // The panel that keys and buttons move: that of the last point read, else the first.
  const current = () => panels[series[at.series].panel] || panels[0];

  for (const surface of [svg, ...figure.querySelectorAll(".parts svg svg")]) {
    let drag = null;
    const spot = (event) => {
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(surface.getScreenCTM().inverse());
      return [x, y];
    };
    const under = (x, y) => panels.find((panel) => panel.holds(x, y));
    surface.addEventListener("pointerdown", (event) => {
      const [x, y] = spot(event);
      const panel = under(x, y);
      if (!panel || event.button) return;
      drag = { panel, x, from: shown.get(panel.key), touch: event.pointerType === "touch", far: false };
      if (!drag.touch) surface.setPointerCapture(event.pointerId);
    });
    surface.addEventListener("pointermove", (event) => {
      const [x, y] = spot(event);
      if (drag && Math.abs(x - drag.x) > 4) drag.far = true;
      if (drag?.far) {
        const { panel } = drag;
        const [from, to] = drag.from;
        if (drag.touch) {
          const moved = ((drag.x - x) / (panel.right - panel.left)) * (to - from);
          if (to - from < 1) zoom(panel, from + moved, to + moved, false);
          return;
        }
        const [a, b] = [Math.max(panel.left, Math.min(drag.x, x)), Math.min(panel.right, Math.max(drag.x, x))];
        for (const [key, value] of Object.entries({ x: a, y: panel.top, width: Math.max(0, b - a), height: panel.bottom - panel.top })) chosen.setAttribute(key, String(value));
        drag.choice = [panel.share(a, drag.from), panel.share(b, drag.from)];
        hide();
        return;
      }
      const found = nearest(x, y, REACH);
      if (found) show(found, false);
      else hide();
    });
    const end = (event) => {
      chosen.setAttribute("width", "0");
      const { panel, choice } = drag || {};
      if (choice && event.type === "pointerup" && choice[1] - choice[0] > LEAST) zoom(panel, choice[0], choice[1]);
      drag = null;
    };
    surface.addEventListener("pointerup", end);
    surface.addEventListener("pointercancel", end);
    surface.addEventListener("pointerleave", () => drag || hide());
    surface.addEventListener("dblclick", all);
    surface.addEventListener("wheel", (event) => {
      const [x, y] = spot(event);
      const panel = under(x, y);
      if (!panel || !(event.ctrlKey || event.metaKey || document.activeElement === svg)) return;
      event.preventDefault();
      by(panel, Math.exp(-event.deltaY * (event.deltaMode === 1 ? 30 : 1) / 400), panel.share(x, shown.get(panel.key)));
    }, { passive: false });
  }

  svg.setAttribute("tabindex", "0");
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moved(event.key);
    if (next) show(next, true);
    else if (event.key === "Escape") hide();
    else if (!panels.length || !zoomKey(event.key)) return;
    event.preventDefault();
  });

  function zoomKey(key) {
    const step = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, _: 1 / 1.5 }[key];
    if (step) by(current(), step, at.point < 0 ? undefined : current().share(series[at.series].points[at.point][0], [0, 1]));
    else if (key === "0") all();
    else if (key === "Backspace") back();
    else return false;
    return true;
  }

  if (panels.length) {
    const button = (text, label, key) => h("button", { type: "button", class: "save", "aria-label": `${label}: ${svg.getAttribute("aria-label")}`, title: label, onclick: () => zoomKey(key) }, text);
    const group = h("span", { class: "group saves" }, button(MINUS, "Zoom out (−)", "-"), button("+", "Zoom in (+, or drag across a panel)", "+"), button("All", "Show all (0)", "0"));
    figure.querySelector("figcaption").prepend(group);
    figure.classList.add("zoomable");
  }

  // Left and right go along a series, up and down to the point of another series that is nearest.
  function moved(key) {
    const count = series[at.series].points.length;
    if (key === "ArrowRight") return { series: at.series, point: Math.min(at.point + 1, count - 1) };
    if (key === "ArrowLeft") return { series: at.series, point: Math.max(at.point - 1, 0) };
    if (key === "Home") return { series: at.series, point: 0 };
    if (key === "End") return { series: at.series, point: count - 1 };
    if (key !== "ArrowUp" && key !== "ArrowDown") return null;
    const other = (at.series + (key === "ArrowDown" ? 1 : series.length - 1)) % series.length;
    const x = series[at.series].points[Math.max(at.point, 0)][0];
    let best = 0;
    for (const [j, [px]] of series[other].points.entries()) if (Math.abs(px - x) < Math.abs(series[other].points[best][0] - x)) best = j;
    return { series: other, point: best };
  }
}
