// The simulator in a worker of the page, so that a long run does not stop the page. Each run is a fresh instance of one
// compiled module: nothing of a run is left for the next.
import { runProgram } from "./wasi.js";

let ready = null;

const self_ = /** @type {any} */ (globalThis);
self_.onmessage = async ({ data }) => {
  if (data.module) {
    ready = data.module;
    return;
  }
  const began = performance.now();
  try {
    const { status, out, said } = runProgram(ready, new TextEncoder().encode(data.text));
    self_.postMessage({ id: data.id, status, out, said: said.trimEnd(), ms: performance.now() - began }, out.byteLength ? [out.buffer] : []);
  } catch (error) {
    self_.postMessage({ id: data.id, status: 1, said: `the run failed: ${error.message}` });
  }
};
