// What every page has: the theme, and the controls of what stands in it already.
import { wireCommand } from "./command.js";
import { wireCharts } from "./charts.js";
import { wireAsides } from "./narrow.js";
import { wireSorting } from "./sorting.js";
import { startTheme } from "./theme.js";
import { wireUnfold } from "./unfold.js";

export function wirePage(palette) {
  startTheme(palette);
  wireSorting();
  wireCharts();
  wireCommand();
  wireAsides();
  wireUnfold();
}
