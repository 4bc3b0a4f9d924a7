// Colours for the canvases, read from the palette in the manifest and the page's own.
import { byId, choice } from "./dom.js";

const root = document.documentElement;
const KEPT = "acklab-theme";
const NAMES = ["surface", "ink", "ink-2", "ink-3", "line", "line-2", "shade", "focus"];

// The theme, and the buttons that choose it.
export function startTheme(palette) {
  theme.palette = palette;
  try {
    root.dataset.theme = localStorage.getItem(KEPT) || "auto";
  } catch {
    // A page opened from a file may not be allowed to remember; it works all the same.
  }
  const options = [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]];
  byId("theme").replaceChildren(choice("Colours", options, root.dataset.theme, choose));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", read);
  // Paper is light.
  addEventListener("beforeprint", () => {
    theme.chosen ??= root.dataset.theme;
    root.dataset.theme = "light";
    read();
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = theme.chosen;
    theme.chosen = null;
    read();
  });
  read();
}

export const theme = {
  slots: {},
  roles: {},
  // The choice to return to, while the page is printed.
  chosen: null,
  watchers: [],

  get printing() {
    return theme.chosen !== null;
  },
};

// The colour that a variable of the page has in this theme: resolved by a property that shows on no element of HTML.
export function colourOf(name) {
  root.style.floodColor = `var(--${name})`;
  return getComputedStyle(root).floodColor;
}

function choose(value) {
  root.dataset.theme = value;
  try {
    localStorage.setItem(KEPT, value);
  } catch {
    // see above
  }
  read();
}

function read() {
  for (const slot of Object.keys(theme.palette.slots)) theme.slots[slot] = colourOf("slot-" + slot);
  for (const [role, slot] of Object.entries(theme.palette.roles)) theme.roles[role] = theme.slots[slot];
  for (const name of NAMES) theme[name] = colourOf(name);
  theme.sans = getComputedStyle(root).getPropertyValue("--sans").trim();
  for (const watcher of theme.watchers) watcher();
}
