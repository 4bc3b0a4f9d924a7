// A page without charts over time: the theme, and the controls. The page can be read without this.
import { wireCommand } from "./command.js";
import { wireControls } from "./controls.js";
import { wireFigures } from "./figures.js";
import { wireAsides } from "./narrow.js";
import { wireSorting } from "./sorting.js";
import { startTheme } from "./theme.js";
import { wireUnfold } from "./unfold.js";

startTheme({ slots: {}, roles: {} });
wireControls();
wireSorting();
wireFigures();
wireCommand();
wireAsides();
wireUnfold();
