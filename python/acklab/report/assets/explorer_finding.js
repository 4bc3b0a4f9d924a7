// The page's facts by the templates of a run's page: what one run carried and lost, or what each of two runs did.
import { duration, grouped, si } from "./format.js";

const sum = (run, column) => run.result.summary.flows.reduce((all, flow) => all + (flow[column] || 0), 0);
const listing = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** @type {Record<string, (value: any, noun: string) => string>} */
const FORMATS = {
  amount: (value, unit) => si(value) + unit,
  count: (value, noun) => `${grouped(value)} ${noun}${value === 1 ? "" : "s"}`,
  digits: (value) => grouped(Number(value.toPrecision(3))),
  list: listing,
  seconds: (value) => duration(value, 3),
  texts: listing,
  where: (value) => (value ? `, ${value}` : ""),
};

// A template with its values, as acklab.text.templates has them.
const sentence = (template, values) => template.replace(/\{(\w+)(?::(\w+) ?([^}]*))?\}/g, (_, name, format, noun) => (format ? FORMATS[format](values[name], noun) : values[name]));

export function facts(templates, runs) {
  const told = runs.length > 1 ? comparedFacts(runs) : [...carriedFacts(runs[0]), lossFact(runs[0])];
  return told.map(([kind, values]) => sentence(templates[kind], values));
}

function comparedFacts(runs) {
  const ends = runs.map((run) => run.result.summary.flows.map((flow) => flow.completion_s));
  const whole = ends.every((all) => all.length === 1 && all[0] !== null);
  const values = runs.map((run, i) => `${run.name} ${whole ? duration(ends[i][0], 3) : `${si(sum(run, "goodput_bps"))}b/s`}`);
  return [[whole ? "runs-completion" : "runs-carried", { values }]];
}

function carriedFacts({ result: { summary: { flows, end_s: end } } }) {
  return flows.map(({ name: flow, completion_s: took, goodput_bps: rate }) => (took === null ? ["still-sending", { flow, end, rate: rate || 0 }] : ["finished", { flow, took, rate: rate || 0 }]));
}

function lossFact(run) {
  const places = run.result.summary.links.map(({ from, to, drops, lost: gone }) => ({ name: `${from}→${to}`, n: drops + gone })).filter(({ n }) => n);
  const sums = Object.fromEntries(["retransmits", "timeouts", "fast_retransmits"].map((key) => [key, sum(run, key)]));
  if (!places.length && !Object.values(sums).some(Boolean)) return ["no-loss", {}];
  places.sort((a, b) => b.n - a.n);
  return ["losses", { ...sums, lost: places.reduce((all, { n }) => all + n, 0), where: places.slice(0, 3).map(({ name }) => name) }];
}
