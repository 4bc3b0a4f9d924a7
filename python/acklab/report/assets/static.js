// A page without charts over time: the theme, and the controls. The page can be read without this.
import { wireCommand } from "./command.js";
import { wireCharts } from "./charts.js";
import { wireAsides } from "./narrow.js";
import { wireSorting } from "./sorting.js";
import { startTheme } from "./theme.js";
import { wireUnfold } from "./unfold.js";

startTheme({ slots: {}, roles: {} });
wireSorting();
wireCharts();
wireCommand();
wireAsides();
wireUnfold();
