// The guided tour: a step is a scenario, or two that differ in one thing, and what to see in them.
import { announce, h } from "./dom.js";

export function tour(steps, open) {
  const body = h("div", { "aria-live": "polite" });
  let at = -1;
  const go = (to) => {
    at = to;
    const step = steps[at];
    row.querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", String(i === at)));
    body.replaceChildren(h("h2", {}, `${at + 1}. ${step.title}`), ...step.sees.map((text) => h("p", {}, text)), h("p", { class: "source" }, "Source: " + step.source));
    announce(`Step ${at + 1} of ${steps.length}: ${step.title}`);
    next.textContent = at + 1 < steps.length ? "Next step" : "From the start";
    return open(step);
  };
  const row = h("div", { class: "steps", role: "group", "aria-label": "Steps of the tour" }, steps.map((step, i) => h("button", { type: "button", "aria-pressed": "false", title: step.title, onclick: () => go(i) }, String(i + 1))));
  const next = h("button", { type: "button", id: "next-step", onclick: () => go((at + 1) % steps.length) }, "Begin the tour");
  row.append(next);
  body.append(h("h2", {}, "A tour in eight steps"), h("p", { class: "note" }, "Each step loads one run, or two that differ in one thing, and says what to look at."));
  return h("div", {}, body, row);
}
