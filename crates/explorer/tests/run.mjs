// Runs scenarios in the explorer's program as its page does: run.mjs PROGRAM WASI, with WASI the page's module of that name.
// In: a JSON list of texts. Out, for each: exit status and length in 32 bits each, then what it wrote.
import { readFileSync, writeSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const [program, wasi] = process.argv.slice(2).map((path) => readFileSync(path));
// By its text, since its name does not say that it is a module.
const { runProgram } = await import("data:text/javascript;base64," + wasi.toString("base64"));
const module = new WebAssembly.Module(program[0] === 0x1f ? gunzipSync(program) : program);

function write(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const { status, out, said } = runProgram(module, new TextEncoder().encode(text));
  const bytes = status ? Buffer.from(said.trimEnd()) : out;
  write(new Uint8Array(new Uint32Array([status, bytes.length]).buffer));
  write(bytes);
}
