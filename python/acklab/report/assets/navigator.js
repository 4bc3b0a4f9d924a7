// The strip in the sticky bar: the whole run in small, with the stretch shown marked.
// Drag inside the mark moves it, its ends stretch it, elsewhere a new one is drawn.
import { binAt, wholePackets } from "./chart_throughput.js";
import { h } from "./dom.js";
import { duration, exact, timeText } from "./format.js";
import { fit } from "./frame.js";
import { rangeKey } from "./keys.js";
import { stepRange } from "./marks.js";
import { itemColour, state } from "./state.js";
import { openItem } from "./store.js";
import { theme } from "./theme.js";

export const navigator_ = {
  build() {
    const canvas = (navigator_.canvas = h("canvas", { tabindex: "0", role: "slider", "aria-label": "Stretch of time shown", "aria-valuemin": "0", "aria-describedby": "keys-help" }));
    navigator_.range = h("span", { class: "range" });
    new ResizeObserver(navigator_.draw).observe(canvas);
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      rangeKey(event);
    });
    navigator_.wire(canvas);
    return canvas;
  },

  // What the silhouette shows: goodput of the flows drawn, of a single run their sum; else cwnd.
  async load() {
    const rates = [];
    for (const item of state.visible().slice(0, 12)) {
      const { progress } = await openItem(item, ["progress"]);
      if (progress) {
        rates.push({ item, rate: true, level: (from, to) => binAt(progress, from, to).rate });
        continue;
      }
      const { window } = await openItem(item, ["window"]);
      if (window) rates.push({ item, level: (from, to) => stepRange(window, window.time_s, "cwnd_segments", from, to)[1] });
    }
    const sum = !state.compared && rates.length > 1 && rates.every(({ rate }) => rate);
    navigator_.rates = sum ? [{ level: (from, to) => rates.reduce((all, { level }) => all + level(from, to), 0) }] : rates;
    navigator_.draw();
  },

  draw() {
    const { canvas, rates } = navigator_;
    const { view } = state;
    const [w, tall] = [canvas.clientWidth, canvas.clientHeight];
    if (!w) return;
    const ctx = fit(canvas, w, tall);
    const length = wholePackets((6 * view.end) / w);
    const bar = (length * w) / view.end;
    for (const { item, level } of rates || []) {
      const heights = Array.from({ length: Math.ceil(view.end / length) }, (_, i) => level(i * length, Math.min((i + 1) * length, view.end)));
      const sorted = heights.filter((v) => v > 0 && Number.isFinite(v)).sort((a, b) => a - b);
      // A burst does not flatten the rest.
      const top = Math.min(sorted[sorted.length - 1] || 1, 1.5 * (sorted[Math.floor(0.9 * sorted.length)] || 1));
      ctx.fillStyle = state.several && item ? itemColour(item) : theme.roles.goodput;
      ctx.globalAlpha = rates.length > 1 ? 0.45 : 0.6;
      heights.forEach((v, i) => {
        const y = Number.isFinite(v) ? ((tall - 6) * Math.min(v, top)) / top : 0;
        ctx.fillRect(i * bar, tall - y, bar - (w > 700 ? 1 : 0), y);
      });
    }
    ctx.globalAlpha = 1;
    const [a, b] = [(view.from / view.end) * w, (view.to / view.end) * w];
    if (!view.whole) {
      ctx.fillStyle = theme.surface;
      ctx.globalAlpha = 0.65;
      ctx.fillRect(0, 0, a, tall);
      ctx.fillRect(b, 0, w - b, tall);
      ctx.globalAlpha = 1;
    }
    ctx.strokeStyle = theme.focus;
    ctx.lineWidth = 2;
    ctx.strokeRect(a + 1, 1, Math.max(2, b - a - 2), tall - 2);
    if (view.cursor !== null) {
      ctx.fillStyle = theme.ink;
      ctx.fillRect((view.cursor / view.end) * w - 0.5, 0, 1, tall);
    }
    navigator_.say();
  },

  say() {
    const { view } = state;
    const perDot = view.span / 1000;
    const text = view.whole ? `Whole run, ${duration(view.end)}` : `${timeText(view.from, perDot)} – ${timeText(view.to, perDot)} (${duration(view.span)})`;
    navigator_.range.textContent = text;
    const { canvas } = navigator_;
    canvas.setAttribute("aria-valuemax", exact(view.end, 6));
    canvas.setAttribute("aria-valuenow", exact(view.from, 6));
    canvas.setAttribute("aria-valuetext", text);
  },

  wire(canvas) {
    let drag = null;
    const at = (event) => {
      const r = canvas.getBoundingClientRect();
      return ((event.clientX - r.left) / r.width) * state.view.end;
    };
    canvas.addEventListener("pointerdown", (event) => {
      const { view } = state;
      const t = at(event);
      const near = (view.end * 8) / canvas.clientWidth;
      const kind = view.whole ? "new" : Math.abs(t - view.from) < near ? "from" : Math.abs(t - view.to) < near ? "to" : t > view.from && t < view.to ? "move" : "new";
      drag = { kind, t, from: view.from, to: view.to };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const { view } = state;
      const t = at(event);
      if (Math.abs(t - drag.t) < view.end / canvas.clientWidth) return;
      if (drag.kind === "from") view.show(Math.min(t, drag.to - view.least), drag.to, drag);
      else if (drag.kind === "to") view.show(drag.from, Math.max(t, drag.from + view.least), drag);
      else if (drag.kind === "new") view.show(Math.min(drag.t, t), Math.max(drag.t, t), drag);
      else view.show(drag.from + t - drag.t, drag.to + t - drag.t, drag);
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (drag = null));
    canvas.addEventListener("dblclick", () => state.view.reset());
  },
};
