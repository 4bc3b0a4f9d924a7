// The page's headline: what a run carried, or the settings in which two runs differ, and their results.
import { differing } from "./explorer_controls.js";
import { NB, duration, grouped, si } from "./format.js";

const sum = (run, column) => run.result.summary.flows.reduce((all, flow) => all + (flow[column] || 0), 0);

// Other quantities of a run than its goodput, the one that is told first at first: what stands before a value, the value of a run,
// as text, and the noun after it.
/** @type {[string, (run: any) => number | null, (value: number) => string, string][]} */
const OTHERS = [
  ["", (run) => sum(run, "timeouts"), (value) => (value ? grouped(value) : "no"), "timeouts"],
  ["a mean queue of ", (run) => run.there.mean_queue_packets, (value) => value.toFixed(1), "packets"],
  ["a mean round trip of ", (run) => run.result.summary.flows[0].mean_rtt_s, (value) => duration(value, 3), ""],
  ["", (run) => sum(run, "retransmits"), (value) => (value ? grouped(value) : "no"), "segments sent again"],
];
// A quantity is told where it differs by this share or more; at most so many beside the goodput, and settings that are named.
const TOLD = 0.1;
const MOST = 2;

// A rate is the mean of a whole run, with its slow start.
const lasted = (run) => duration(run.result.summary.end_s, 3);

export function finding(runs) {
  const [one, other] = runs;
  const counted = (n, word) => `${n ? grouped(n) : "no"} ${word}${n === 1 ? "" : "s"}`;
  if (!other) return `A goodput of ${si(sum(one, "goodput_bps"))}b/s in ${lasted(one)}. The link’s queue drops ${counted(one.there.drops, "packet")}; ${counted(sum(one, "retransmits"), "segment")} sent again, ${counted(sum(one, "timeouts"), "timeout")}.`;
  const settings = settingsOf(one, other);
  if (settings === null) return `Both runs have the same scenario: ${si(sum(one, "goodput_bps"))}b/s each.`;
  const differs = (mine, theirs) => mine !== null && theirs !== null && Math.abs(mine - theirs) > TOLD * Math.max(mine, theirs);
  const share = (run) => sum(run, "acks_sent") / Math.max(1, sum(run, "segments_sent"));
  const told = differs(share(other), share(one)) ? [`${grouped(sum(other, "acks_sent"))}${NB}ACKs (${one.name}: ${grouped(sum(one, "acks_sent"))})`] : [];
  const found = OTHERS.map(([before, value, text, noun]) => ({ before, text, noun, mine: value(other), theirs: value(one) })).filter(({ text, mine, theirs }) => differs(mine, theirs) && text(mine) !== text(theirs));
  told.push(...found.slice(0, MOST - told.length).map(({ before, text, noun, mine, theirs }) => `${before}${text(mine)}${noun ? " " + noun : ""} (${one.name}: ${text(theirs)})`));
  return `${other.name}${settings} ${carries(one, other)}${told.length ? `, with ${told.join(" and ")}` : ""}.`;
}

// How long the transfers took, where all have an end; else what they carried.
function carries(one, other) {
  const ends = [one, other].map((run) => run.result.summary.flows.map((flow) => flow.completion_s));
  if (ends.every((all) => all.length === 1 && all[0] !== null)) return `completes in ${duration(ends[1][0], 3)} (${one.name}: ${duration(ends[0][0], 3)})`;
  const whose = lasted(one) === lasted(other) ? "" : ` in ${lasted(one)}`;
  return `carries ${si(sum(other, "goodput_bps"))}b/s in ${lasted(other)} (${one.name}: ${si(sum(one, "goodput_bps"))}b/s${whose})`;
}

// ", with ACK policy every segment instead of …,"; null if nothing differs, empty if too much does for a sentence.
function settingsOf(one, other) {
  const { settings, whole } = differing(one.shown, other.shown);
  if (whole && !settings.length) return null;
  if (settings.length > MOST) return "";
  const told = settings.map(({ name, was, is }) => `${name.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase())} ${is} instead of ${was}`);
  if (!whole) told.push(told.length ? "other lines changed" : "other lines in its scenario");
  return `, with ${told.join(" and ")},`;
}
