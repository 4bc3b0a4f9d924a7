// Runs of scenarios in a worker, one after another, each with a limit of time.
import { byId } from "./dom.js";
import { fromBase64, inflate } from "./codec.js";

const LIMIT_S = 5;

let program = null;
let worker = null;
let runs = 0;
let last = Promise.resolve();

function startWorker() {
  const code = byId("worker").textContent;
  worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  worker.postMessage({ module: program });
}

export async function prepare() {
  const element = byId("program");
  program = await WebAssembly.compile(await inflate(fromBase64(element.textContent)));
  element.remove();
  startWorker();
}

// {summary, charts, ms} of a scenario's text, or {why}.
export function runScenario(text) {
  const turn = last.then(() => runOne(text));
  last = turn.then(() => undefined);
  return turn;
}

function runOne(text) {
  const id = runs++;
  return new Promise((done) => {
    const limit = setTimeout(() => {
      worker.terminate();
      startWorker();
      done({ why: `This scenario computed for ${LIMIT_S} s without an end, so the page stopped it. A shorter run or a lower rate fits the page; acklab run has no limit.` });
    }, LIMIT_S * 1000);
    worker.onmessage = ({ data }) => {
      if (data.id !== id) return;
      clearTimeout(limit);
      done(data.status ? { why: data.said } : { ...readRun(data.out), ms: data.ms });
    };
    worker.postMessage({ id, text });
  });
}

// The summary's line as text, and the charts with their columns as typed arrays.
function readRun(out) {
  const first = out.indexOf(10);
  const second = out.indexOf(10, first + 1);
  const text = (from, to) => new TextDecoder().decode(out.subarray(from, to));
  const charts = JSON.parse(text(first + 1, second));
  const numbers = new Float64Array(out.buffer, out.byteOffset + Math.ceil((second + 1) / 8) * 8);
  const table = ({ at, rows, columns }) => ({ rows, table: Object.assign({ rows }, ...columns.map((name, i) => ({ [name]: numbers.subarray(at + i * rows, at + (i + 1) * rows) }))) });
  for (const item of charts.items) for (const name of Object.keys(item.tables)) item.tables[name] = table(item.tables[name]);
  for (const link of charts.queues) [link.table, link.drops] = [table(link.table), table(link.drops)];
  const line = text(0, first);
  return { line, summary: JSON.parse(line), charts };
}
