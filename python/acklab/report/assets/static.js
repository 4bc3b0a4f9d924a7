// A page without charts over time. It can be read without this.
import { wirePage } from "./wiring.js";

wirePage({ slots: {}, roles: {} });
