// A page without charts over time: the theme, and the controls. The page can be read without this.
import { wireControls } from "./controls.js";
import { startTheme } from "./theme.js";

startTheme({ slots: {}, roles: {} });
wireControls();
