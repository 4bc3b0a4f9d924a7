// Installs a wheel into Pyodide and runs a program there: pyodide.mjs MODULE WHEEL PROGRAM. What the program prints is printed.
import { readFileSync } from "node:fs";

const [module, wheel, program] = process.argv.slice(2);
const { loadPyodide } = await import(module);
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
python.runPython(readFileSync(program, "utf8"));
