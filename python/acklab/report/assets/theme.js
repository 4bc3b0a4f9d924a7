// Colours for the canvases, read from the palette in the manifest and the page's own.
import { byId, choice } from "./dom.js";

// The theme, and the buttons that choose it.
export function startTheme(palette) {
  theme.start(palette);
  byId("theme").replaceChildren(choice("Colours", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], theme.choice, (v) => theme.choose(v)));
}

export const theme = {
  slots: {},
  roles: {},
  dark: false,
  watchers: [],

  // `choice` is "auto", "light" or "dark".
  choose(choice) {
    document.documentElement.dataset.theme = choice;
    try {
      localStorage.setItem("acklab-theme", choice);
    } catch {
      // A page opened from a file may not be allowed to remember; it works all the same.
    }
    theme.read();
  },

  get choice() {
    return document.documentElement.dataset.theme || "auto";
  },

  start(palette) {
    theme.palette = palette;
    let kept = "auto";
    try {
      kept = localStorage.getItem("acklab-theme") || "auto";
    } catch {
      // see above
    }
    document.documentElement.dataset.theme = kept;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme.read);
    addEventListener("beforeprint", () => theme.read("light"));
    addEventListener("afterprint", () => theme.read());
    theme.read();
  },

  read(forced) {
    const auto = matchMedia("(prefers-color-scheme: dark)").matches;
    const choice = forced === "light" ? "light" : theme.choice;
    theme.printing = forced === "light";
    theme.dark = choice === "dark" || (choice === "auto" && auto);
    const mode = theme.dark ? "dark" : "light";
    for (const [slot, shades] of Object.entries(theme.palette.slots)) {
      theme.slots[slot] = shades[mode];
    }
    for (const [role, slot] of Object.entries(theme.palette.roles)) theme.roles[role] = theme.slots[slot];
    const style = getComputedStyle(document.documentElement);
    for (const name of ["surface", "ink", "ink-2", "ink-3", "line", "line-2", "shade", "focus"]) {
      theme[name] = style.getPropertyValue("--" + name).trim();
    }
    if (theme.printing) Object.assign(theme, { surface: "#ffffff", ink: "#14181f", "ink-2": "#4a5260", "ink-3": "#5d6673", line: "#d9dde3", "line-2": "#eceef1" });
    theme.sans = style.getPropertyValue("--sans").trim();
    for (const watcher of theme.watchers) watcher();
  },
};
