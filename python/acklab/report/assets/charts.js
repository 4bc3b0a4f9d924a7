// A page's charts: each panel of a Vega-Lite specification is a view as wide as its place, with one legend above them all.
//   Ctrl and wheel: zoom · Shift and drag: move · double click: all · arrow keys: values
import { announce, h } from "./dom.js";
import { saveButtons } from "./save.js";
import { colourOf } from "./theme.js";

// Narrower places have one panel a line, or panels of named rows of at least so many pixels; pixels between panels.
const ONE_COLUMN = 700;
const NARROWEST = 90;
const GAP = 14;

const tooltip = h("div", { class: "chart-tooltip", role: "tooltip", hidden: true });

export function wireCharts() {
  document.body.append(tooltip);
  for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure.plot"))) {
    const { width, top } = figure.getBoundingClientRect();
    if (width && top < 2 * innerHeight) drawChart(figure);
    else new IntersectionObserver(([entry]) => entry.isIntersecting && drawChart(figure), { rootMargin: "600px" }).observe(figure);
    addEventListener("beforeprint", () => drawChart(figure), { once: true });
  }
}

function drawChart(figure) {
  if (figure.dataset.drawn) return;
  figure.dataset.drawn = "yes";
  const spec = JSON.parse(figure.querySelector("script").textContent);
  const { usermeta } = spec;
  const place = figure.querySelector(".panels");
  const fitting = usermeta.names ? Math.floor((place.clientWidth - usermeta.names) / (NARROWEST + GAP)) : 1;
  const columns = place.clientWidth < ONE_COLUMN ? Math.max(1, Math.min(fitting, usermeta.columns)) : usermeta.columns;
  if (columns > 1) {
    // Panels are as wide as each other; the first of a line has the names of rows, too.
    const each = `(100% - ${usermeta.names}px - ${GAP * (columns - 1)}px) / ${columns}`;
    place.style.gridTemplateColumns = `calc(${each} + ${usermeta.names}px) repeat(${columns - 1}, calc(${each}))`;
  }
  for (const [number, panel] of spec.concat.entries()) showPanel(place, specOf(spec, panel, usermeta.names && number % columns > 0, columns > 1 && place.clientWidth < ONE_COLUMN));
  readByKeys(place, spec);
  figure.querySelector("figcaption").append(" ", saveButtons(figure.id, place.getAttribute("aria-label"), () => wholeChart(spec)));
}

// The arrow keys say the values one after another, as the pointer does.
function readByKeys(place, spec) {
  const tips = (part) => [...(part.data?.values || []).map((row) => row.tip), ...(part.layer || []).flatMap(tips)];
  const texts = [...new Set(spec.concat.flatMap(tips).filter(Boolean))];
  let at = -1;
  place.tabIndex = 0;
  place.addEventListener("keydown", (event) => {
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: texts.length - 1 }[event.key];
    if (event.key === "Escape") tooltip.hidden = true;
    if (to === undefined || !texts.length) return;
    event.preventDefault();
    at = Math.max(0, Math.min(to, texts.length - 1));
    const { left, top } = place.getBoundingClientRect();
    showTooltip(texts[at], left + scrollX, top + scrollY);
    announce(texts[at]);
  });
}

function showTooltip(text, x, y) {
  tooltip.hidden = !text;
  tooltip.textContent = text || "";
  tooltip.style.left = `${Math.max(4, Math.min(x + 12, document.documentElement.clientWidth - tooltip.offsetWidth - 8))}px`;
  tooltip.style.top = `${y + 14}px`;
}

// One panel as a specification of its own. Where panels share their rows, the first of a line names them; a small one has a small title.
function specOf(spec, panel, unnamed, small) {
  const { $schema } = spec;
  const config = small ? { ...spec.config, title: { ...spec.config.title, fontSize: 10.5 } } : spec.config;
  // The page writes the legend itself.
  const bare = JSON.parse(JSON.stringify(panel), (key, value) => (key === "legend" ? null : value));
  const alone = { $schema, config: { ...config, legend: { disable: true } }, ...bare, width: "container", autosize: { type: "fit-x", contains: "padding" } };
  if (unnamed) alone.encoding = { ...bare.encoding, y: { ...bare.encoding.y, axis: { ...bare.encoding.y.axis, labels: false } } };
  return alone;
}

function viewOf(spec, options) {
  const { View, parse, expr, compile } = globalThis.vega;
  return new View(parse(compile(spec).spec, null, { ast: true }), { expr, renderer: "svg", hover: true, ...options });
}

function showPanel(place, spec) {
  const element = h("div", { class: "panel" });
  place.append(element);
  const view = viewOf(spec, { container: element });
  view.tooltip((_handler, event, _item, value) => showTooltip(value, event.pageX, event.pageY));
  view.runAsync().then(() => element.firstElementChild.setAttribute("aria-hidden", "true"));  // the place says what it shows
}

// The whole chart as a file: the page's variables become colours.
function wholeChart(spec) {
  const text = JSON.stringify(spec).replace(/var\(--([\w-]+)\)/g, (_, name) => colourOf(name));
  const whole = { ...JSON.parse(text), background: colourOf("surface") };
  return viewOf(whole, {}).toSVG();
}
