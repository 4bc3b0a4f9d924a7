// What a telephone folds: prose and long lists, behind a line that says what they are. A wide screen shows them open, without that line.
import { h } from "./dom.js";

const NARROW = matchMedia("(max-width: 640px)");

// A part that a telephone folds.
export const aside = (words, ...parts) => h("details", { class: "aside", open: !NARROW.matches }, h("summary", {}, words), ...parts);

export function wireAsides() {
  const set = () => {
    for (const part of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.aside"))) part.open = !NARROW.matches;
  };
  NARROW.addEventListener("change", set);
  set();
  if (!NARROW.matches) return;
  // The choice of colours stands below everything.
  (document.querySelector(".foot") || document.querySelector("main"))?.append(document.getElementById("theme"));
}
