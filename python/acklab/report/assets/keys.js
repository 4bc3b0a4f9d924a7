// A chart by keyboard. What the reading cursor stands on is spoken.
import { announce, h } from "./dom.js";
import { state } from "./state.js";

const KEYS = [
  ["← →", "move along"], ["+ −", "zoom in and out"], ["0", "show all"], ["Backspace", "back"], [", .", "previous and next value"], ["Esc", "let go"],
];

export function wireKeys(frame) {
  const { front } = frame;
  front.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (rangeKey(event)) return;
    if (event.key === "," || event.key === ".") readOn(frame, event.key === "." ? 1 : -1);
    else if (event.key === "Escape") front.blur();
    else return;
    event.preventDefault();
  });
}

// The keys that move the range; true if this was one of them. The navigator has them too.
export function rangeKey(event) {
  const { view } = state;
  const step = event.shiftKey ? 0.5 : 0.1;
  switch (event.key) {
    case "ArrowLeft": view.pan(-view.span * step); break;
    case "ArrowRight": view.pan(view.span * step); break;
    case "+": case "=": view.zoom(1.5, view.cursor ?? undefined); break;
    case "-": case "_": view.zoom(1 / 1.5, view.cursor ?? undefined); break;
    case "0": case "Home": view.reset(); break;
    case "Backspace": view.back(); break;
    default: return false;
  }
  event.preventDefault();
  return true;
}

// Step the reading cursor to the next thing drawn, show it, say it.
function readOn(frame, direction) {
  const { view } = state;
  const from = view.cursor ?? (direction > 0 ? view.from - view.span * 1e-6 : view.to);
  let best = null;
  for (const panel of frame.panels) {
    for (const part of panel.parts) {
      const t = frame.spec.next(part, frame.data.get(part.id), from, direction, frame);
      if (t !== null && (best === null || (t - best.t) * direction < 0)) best = { t, panel, part };
    }
  }
  if (!best) return announce("nothing further");
  if (best.t < view.from || best.t > view.to) view.show(best.t - view.span / 2, best.t + view.span / 2);
  view.point(best.t);
  const { x, y } = frame.spec.locate ? frame.spec.locate(best, frame) : { x: best.panel.sx(best.t), y: best.panel.box.y + best.panel.box.h / 2 };
  const found = frame.spec.near(best.part, frame.data.get(best.part.id), x, y, best.panel.sx, best.panel.sy, frame, true);
  frame.showTip(found, x, y);
  if (found) announce(found.title + "; " + found.rows.map(([name, value]) => `${name} ${value}`).join("; "));
}

export function keysHelp() {
  return h("p", { id: "keys-help" },
    h("span", { class: "wide" }, "Keys on a chart: ", KEYS.flatMap(([key, what], i) => [i ? " · " : "", h("kbd", {}, key), " " + what]),
      ". Mouse: drag chooses a stretch, Shift-drag moves, the wheel zooms once the chart is clicked (or with Ctrl). "),
    "Fingers on a chart: one moves it sideways, two zoom.");
}
