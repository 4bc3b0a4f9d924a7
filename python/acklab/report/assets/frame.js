// A chart's place on the page: heading, legend, canvases, tooltip, data table.
//
// A chart itself is a plain object that says what it draws:
//   id, title, about   its words
//   needs              the table it cannot be drawn without ("series", "queue", "packets")
//   axis               the value axis: {label, si, whole}
//   roles              [{key, name, sample, on, there(data, part, frame), value(part)}]: what the
//                      legend switches; one that is not there is left out; values stand beside the name
//   parts()            what is drawn: [{id, run, name, slot, item, colour(role), open()}]
//   range(part, data, t0, t1)            least and greatest value in sight
//   draw(ctx, part, data, box, sx, sy)   draws one part into a panel
//   near(part, data, x, y, sx, sy, frame, exactly)  what lies under the pointer, or exactly
//                                        at the reading cursor's time; or null
//   next(part, data, t, direction)       the time of the next thing, or null
//   columns, records(part, data, t0, t1, most)   the rows of its data table
// Optional: height, frame(low, high) to set the value axis' ends, gather to let one tooltip
// list all parts, ownColours() for whether a chart draws in the roles' colours anyhow, ownScale
// for one whose panels of several groups of flows have each their own value axis, bulk for one
// without the flows that write now and then beside others, over(ctx, parts, data, box, sx, sy, frame)
// for what comes over all parts of a panel.
import { saveButtons } from "./save.js";
import { SvgContext } from "./svg.js";
import { axisTitle, clipTo, drawPanelFrame, drawTimeAxis, drawValueAxis, setFont } from "./axes.js";
import { dataTable, refreshDataTable } from "./datatable.js";
import { h } from "./dom.js";
import { timeText } from "./format.js";
import { wireKeys } from "./keys.js";
import { sample } from "./marks.js";
import { aside } from "./narrow.js";
import { limitsOf, panelsOf, roleName } from "./panels.js";
import { wirePointer } from "./pointer.js";
import { linear, logarithmic } from "./scale.js";
import { state } from "./state.js";
import { theme } from "./theme.js";
import { twins } from "./twins.js";

export const frames = [];

export class Frame {
  constructor(spec) {
    this.spec = spec;
    this.on = Object.fromEntries(spec.roles.map((role) => [role.key, role.on !== false]));
    this.data = new Map();
    this.panels = [];
    this.onScreen = false;
    this.dirty = true;
    this.found = null;
    this.hinted = 0;
    this.selection = null;
    this.under = 0;
    this.build();
    frames.push(this);
  }

  build() {
    const { spec } = this;
    this.back = h("canvas", { "aria-hidden": "true" });
    this.front = h("canvas", {
      class: "front", tabindex: "0", role: "application", "aria-roledescription": "interactive chart",
      "aria-label": spec.title, "aria-describedby": spec.id + "-about " + "keys-help",
    });
    this.tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.plot = h("div", { class: "plot" }, this.back, this.front, this.tip);
    this.legend = h("div", { class: "legend", role: "group", "aria-label": spec.title + ": what is drawn" });
    this.extra = h("span", { class: "group" });
    this.element = h("figure", { class: "chart card", id: "chart-" + spec.id, "aria-labelledby": spec.id + "-title" },
      h("div", { class: "chart-head" },
        h("h2", { id: spec.id + "-title" }, spec.title),
        aside("How to read it", h("p", { class: "about", id: spec.id + "-about" }, spec.about)),
        this.extra),
      this.legend, this.plot,
      (this.foot = h("div", { class: "chart-foot" }, (this.said = h("span")), saveButtons(spec.id, spec.title, () => this.svg()))),
      dataTable(this));
    wirePointer(this);
    wireKeys(this);
    new ResizeObserver(() => this.invalidate()).observe(this.plot);
    new IntersectionObserver((entries) => {
      this.onScreen = entries[entries.length - 1].isIntersecting;
      if (this.onScreen && this.dirty) schedule();
    }, { rootMargin: "150px" }).observe(this.element);
  }

  // A word over the chart for a moment.
  hint(text) {
    this.tip.replaceChildren(text);
    this.tip.hidden = false;
    this.tip.style.transform = "translate(64px, 30px)";
    clearTimeout(this.hinted);
    this.hinted = setTimeout(() => (this.tip.hidden = true), 1800);
  }

  invalidate() {
    this.dirty = true;
    schedule();
  }

  // Opens what is not open yet, then draws; called by the scheduler for charts on screen.
  async update() {
    this.dirty = false;
    const parts = this.spec.parts().filter((part) => part.recorded !== false);
    this.absent(parts.length === 0);
    const waiting = parts.filter((part) => !this.data.has(part.id));
    if (waiting.length) {
      await Promise.all(waiting.map(async (part) => this.data.set(part.id, await part.open())));
    }
    this.parts = parts.filter((part) => this.data.get(part.id));
    this.twins = state.apart ? [] : twins(this.parts, this.data);
    this.parts = this.parts.filter((part) => !this.twins.some(([twin]) => twin === part));
    this.drawLegend();
    this.draw();
  }

  absent(yes) {
    const { spec } = this;
    if (yes && !this.note) {
      const why = state.visible().length ? `This run was made without the “${spec.needs}” table; switch it on in the scenario with [record] ${spec.needs} = true.` : "No flow is switched on.";
      this.note = h("p", { class: "absent" }, why);
      this.plot.before(this.note);
    } else if (!yes && this.note) {
      this.note.remove();
      this.note = null;
    }
    for (const part of [this.plot, this.foot, this.legend]) part.hidden = yes;
    this.element.querySelector("details.data").hidden = yes;
  }

  drawLegend() {
    // Where every panel has the roles' own colours the legend shows them.
    const own = this.ownColours;
    const there = this.spec.roles.filter((role) => !role.there || this.parts.some((part) => role.there(this.data.get(part.id), part, this)));
    const focused = [...this.legend.children].indexOf(document.activeElement);
    this.legend.replaceChildren(...there.map((role) => {
      const part = this.parts[0];
      const colour = own && part ? part.colour(role.role || role.key) : theme["ink-2"];
      return h("button", {
        type: "button", "aria-pressed": String(this.on[role.key]), title: role.about,
        onclick: () => {
          this.on[role.key] = !this.on[role.key];
          this.invalidate();
        },
      }, sample(role.sample, colour), roleName(role, this.parts), this.on[role.key] ? "" : " (hidden)");
    }), ...(this.spec.bulk ? state.leftOut() : []).map((item) => h("span", { class: "note twin" }, `${item.name} writes now and then: see its round trips`)), ...this.twins.map(([part, drawn]) => h("span", { class: "note twin" }, `${part.name}: identical to ${drawn.name}`)));
    this.legend.children[focused]?.focus({ preventScroll: true });  // who typed there goes on from there
  }

  // Panels: one for each group of flows that compete, or of a run among others; or for each flow.
  layout() {
    const { spec } = this;
    const width = Math.max(280, this.plot.clientWidth);
    const narrow = width < 520;
    const left = narrow ? 46 : 60;
    const right = narrow ? 6 : 14;
    const groups = panelsOf(this.parts);
    const tall = (spec.height || 260) * (narrow ? 0.85 : 1);
    const each = Math.round(groups.length > 1 ? Math.max(130, tall * 0.62) : tall);
    let y = 24;
    this.panels = groups.map((group) => {
      const box = { x: left, y, w: width - left - right, h: each, left };
      y += each + (groups.length > 1 ? 34 : 0);
      return { ...group, box };
    });
    this.width = width;
    this.height = (this.panels.length ? this.panels[this.panels.length - 1].box.y + each : 100) + 30;
    this.plot.style.height = this.height + "px";
  }

  draw() {
    this.layout();
    this.paint(fit(this.back, this.width, this.height));
    this.front.setAttribute("aria-label", this.spoken());
    this.drawFront();
    refreshDataTable(this);
  }

  // The chart as an SVG file, under its title and its legend.
  svg() {
    this.layout();
    const head = 44;
    const ctx = new SvgContext(this.width, this.height + head);
    setFont(ctx, 15, "600");
    ctx.fillStyle = theme.ink;
    ctx.fillText(this.spoken(), 4, 18);
    let x = 4;
    for (const [name, colour, kind] of this.keys()) {
      setFont(ctx, 12);
      ctx.fillStyle = ctx.strokeStyle = colour;
      if (kind.length > 1) ctx.fillRect(x, 31, 14, 4);
      else ctx.fillText(kind, x + 3, 38);
      ctx.fillStyle = theme["ink-2"];
      ctx.fillText(name, x + 19, 38);
      x += 34 + ctx.measureText(name).width;
    }
    ctx.out.push(`<g transform="translate(0 ${head})">`);
    this.paint(ctx);
    ctx.out.push("</g>");
    return ctx.text(this.spoken(), theme.surface, theme.sans);
  }

  // What the colours mean: the roles where they have their own, else the flows and runs.
  keys() {
    const part = this.parts[0];
    if (part && this.ownColours) return this.spec.roles.filter((role) => this.on[role.key]).map((role) => [roleName(role, this.parts), part.colour(role.role || role.key), role.sample]);
    return this.parts.map((part) => [part.name, theme.slots[part.slot], "line"]);
  }

  get axis() {
    const { axis } = this.spec;
    return typeof axis === "function" ? axis() : axis;
  }

  // Whether every panel is drawn in the roles' own colours.
  get ownColours() {
    return this.parts.length === 1 || state.eachApart() || Boolean(this.spec.ownColours?.());
  }

  paint(ctx) {
    const { view } = state;
    const { spec } = this;
    const all = limitsOf(this, this.parts);
    const nothing = !all;
    this.panels.forEach((panel, i) => {
      const { box } = panel;
      const [low, high] = (spec.ownScale && !state.apart && limitsOf(this, panel.parts)) || all || [0, 1.06];
      const sx = (panel.sx = linear(view.from, view.to, box.x, box.x + box.w));
      const { axis } = this;
      const sy = (panel.sy = (axis.log ? logarithmic : linear)(low, high, box.y + box.h, box.y));
      drawTimeAxis(ctx, box, sx, i === this.panels.length - 1);
      drawValueAxis(ctx, box, sy, axis);
      drawPanelFrame(ctx, box, axisTitle(axis, sy.domain[1]), panel.title, theme.slots[panel.slot]);
      clipTo(ctx, box, () => {
        ctx.lineJoin = "round";
        panel.parts.forEach((part, k) => {
          // What is drawn over by others is drawn wider, so that equal lines show all their colours.
          this.under = Math.min(3, panel.parts.length - 1 - k) / (panel.parts.length > 2 ? 2 : 1);
          ctx.save();
          spec.draw(ctx, part, this.data.get(part.id), box, sx, sy, this);
          ctx.restore();
        });
        spec.over?.(ctx, panel.parts, (part) => this.data.get(part.id), box, sx, sy, this);
      });
    });
    if (nothing && this.panels.length) {
      const { box } = this.panels[0];
      setFont(ctx, 13);
      ctx.fillStyle = theme["ink-3"];
      ctx.textAlign = "center";
      ctx.fillText("Nothing in this stretch of time.", box.x + box.w / 2, box.y + box.h / 2);
    }
  }

  spoken() {
    const { view } = state;
    const names = this.parts.map((part) => part.name).join(", ");
    return `${this.spec.title} of ${names || "nothing"}, ${timeText(view.from, view.span / 500)} to ${timeText(view.to, view.span / 500)}`;
  }

  panelAt(y) {
    let best = null;
    for (const panel of this.panels) {
      const away = Math.max(panel.box.y - y, y - panel.box.y - panel.box.h, 0);
      if (!best || away < best.away) best = { panel, away };
    }
    return best && best.panel;
  }

  timeAt(x, y) {
    const panel = this.panelAt(y);
    return panel ? panel.sx.back(x) : state.view.from;
  }

  // Where a stretch of time is on the canvas: one rectangle for each panel.
  places(from, to) {
    return this.panels.map(({ box, sx }) => {
      const a = Math.max(box.x, sx(Math.min(from, to)));
      const b = Math.min(box.x + box.w, sx(Math.max(from, to)));
      return { x: a, y: box.y, w: b - a, h: box.h };
    });
  }

  // The nearest thing to a place: the closest answer of all parts of the panel there.
  find(x, y) {
    const panel = this.panelAt(y);
    if (!panel || x < panel.box.x - 4 || x > panel.box.x + panel.box.w + 4) return null;
    let best = null;
    const rows = [];
    for (const part of panel.parts) {
      const hit = this.spec.near(part, this.data.get(part.id), x, y, panel.sx, panel.sy, this);
      if (!hit) continue;
      if (this.spec.gather) rows.push(...hit.rows);
      if (!best || hit.away < best.away) best = hit;
    }
    return best && this.spec.gather ? { ...best, rows } : best;
  }

  drawFront() {
    const ctx = fit(this.front, this.width, this.height);
    const { view } = state;
    if (this.selection) {
      ctx.fillStyle = theme.shade;
      ctx.strokeStyle = theme.focus;
      for (const r of this.places(...this.selection)) {
        ctx.fillRect(r.x, r.y, r.w, r.h);
        ctx.strokeRect(r.x + 0.5, r.y, Math.max(0, r.w - 1), r.h);
      }
    }
    if (view.cursor !== null && view.cursor >= view.from && view.cursor <= view.to) {
      ctx.strokeStyle = theme["ink-3"];
      ctx.lineWidth = 1;
      for (const r of this.places(view.cursor, view.cursor)) {
        ctx.beginPath();
        ctx.moveTo(Math.round(r.x) + 0.5, r.y);
        ctx.lineTo(Math.round(r.x) + 0.5, r.y + r.h);
        ctx.stroke();
      }
    }
    if (this.found && this.found.paint) this.found.paint(ctx);
    else if (this.found && this.found.y !== undefined) {
      ctx.strokeStyle = theme.ink;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.arc(this.found.x, this.found.y, 4.5, 0, 7);
      ctx.stroke();
    }
  }

  showTip(found, x, y) {
    this.found = found;
    this.tip.hidden = !found;
    if (found) {
      this.tip.replaceChildren(h("b", {}, found.title),
        h("dl", {}, found.rows.map(([name, value, colour]) => [
          h("dt", {}, colour ? h("span", { class: "swatch", style: { "--c": colour } }) : null, name), h("dd", {}, value)])));
      const w = this.tip.offsetWidth;
      const tall = this.tip.offsetHeight;
      const left = x + 16 + w > this.width ? x - w - 14 : x + 16;
      this.tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, Math.min(this.height - tall, y - tall / 2))}px)`;
    }
    this.drawFront();
  }
}

// A canvas with as many dots as the screen has, cleared, in CSS pixels.
export function fit(canvas, width, height) {
  const dots = theme.printing ? 2.5 : window.devicePixelRatio || 1;
  const w = Math.round(width * dots);
  const tall = Math.round(height * dots);
  const ctx = canvas.getContext("2d");
  // Setting the size clears too. For print only that will do: Chromium prints a canvas
  // that was wiped with clearRect just before as empty.
  const resize = theme.printing || canvas.width !== w || canvas.height !== tall;
  if (resize) {
    canvas.width = w;
    canvas.height = tall;
  }
  ctx.setTransform(dots, 0, 0, dots, 0, 0);
  if (!resize) ctx.clearRect(0, 0, width, height);
  return ctx;
}

let frameAsked = false;
function schedule() {
  if (frameAsked) return;
  frameAsked = true;
  requestAnimationFrame(async () => {
    frameAsked = false;
    await Promise.all(frames.filter((frame) => frame.dirty && frame.onScreen).map((frame) => frame.update()));
  });
}

export function invalidateAll() {
  for (const frame of frames) frame.invalidate();
}
