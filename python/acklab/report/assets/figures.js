// Charts in SVG: the values of the point that is nearest to the pointer, or that the arrow keys reach.
import { announce, h } from "./dom.js";

// How near the pointer has to be, in the chart's units.
const REACH = 24;
const SVG = "http://www.w3.org/2000/svg";

export function wireFigures() {
  for (const figure of document.querySelectorAll("figure")) {
    const data = figure.querySelector("script.chart-points");
    const svg = /** @type {SVGSVGElement | null} */ (figure.querySelector(":scope > svg"));
    if (data && svg) wire(figure, svg, JSON.parse(data.textContent));
  }
}

function wire(figure, svg, series) {
  const mark = document.createElementNS(SVG, "circle");
  mark.setAttribute("class", "point-mark");
  mark.setAttribute("r", "4");
  // Inside the drawing, so that the copies for narrow screens show it, too.
  (svg.querySelector('[id$="figure_1"]') || svg).append(mark);
  const tip = h("div", { class: "point-tip", hidden: true });
  figure.append(tip);
  let at = { series: 0, point: -1 };

  function show(place, spoken) {
    at = place;
    const [x, y, text] = series[at.series].points[at.point];
    mark.setAttribute("cx", x);
    mark.setAttribute("cy", y);
    mark.classList.add("on");
    const name = series[at.series].name;
    tip.textContent = name ? `${name}: ${text}` : text;
    tip.hidden = false;
    const box = figure.getBoundingClientRect();
    const dot = mark.getBoundingClientRect();
    if (dot.width) {
      tip.style.left = `${Math.max(0, Math.min(dot.left - box.left + 12, box.width - tip.offsetWidth - 4))}px`;
      tip.style.top = `${Math.max(0, dot.top - box.top - tip.offsetHeight - 6)}px`;
    }
    if (spoken) announce(tip.textContent);
  }

  function hide() {
    mark.classList.remove("on");
    tip.hidden = true;
  }

  function nearest(x, y, reach) {
    let best = null;
    let least = reach * reach;
    for (const [i, one] of series.entries()) {
      for (const [j, [px, py]] of one.points.entries()) {
        const far = (px - x) ** 2 + (py - y) ** 2;
        if (far < least) [best, least] = [{ series: i, point: j }, far];
      }
    }
    return best;
  }

  for (const surface of [svg, ...figure.querySelectorAll(".parts svg svg")]) {
    surface.addEventListener("pointermove", (event) => {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(surface.getScreenCTM().inverse());
      const found = nearest(place.x, place.y, REACH);
      if (found) show(found, false);
      else hide();
    });
    surface.addEventListener("pointerleave", hide);
  }

  svg.setAttribute("tabindex", "0");
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const next = moved(event.key);
    if (next) {
      event.preventDefault();
      show(next, true);
    } else if (event.key === "Escape") hide();
  });

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
