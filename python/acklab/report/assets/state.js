import { theme } from "./theme.js";
import { View } from "./view.js";

export const MOST_APART = 8;

// What the reader has chosen: which flows are drawn, and overlaid or each run by itself.
export const state = {
  manifest: null,
  all: null,
  view: null,
  shown: new Set(),
  apart: false,
  drag: "zoom",
  watchers: [],

  // Also when other runs take the place of those before: what was chosen stays, as far as it is there.
  start(manifest) {
    const before = state.all;
    state.manifest = manifest;
    state.all = null;
    // Times in the page are whole nanoseconds: up to the next one, so that the last is in.
    const end = Math.ceil(Math.max(...manifest.runs.map((run) => run.end_s)) * 1e9) / 1e9;
    state.compared = manifest.runs.length > 1;
    state.several = manifest.items.filter((item) => !item.idle).length > 1;
    if (state.view) state.view.renew(end);
    else state.view = new View(end);
    if (before && before.length === manifest.items.length) return;
    // Three runs over each other are hard to tell apart.
    if (!before) state.apart = manifest.runs.length > 2;
    state.shown.clear();
    // At first a few flows of every run, so that a run of hundreds opens readable.
    const each = Math.max(1, Math.floor(6 / manifest.runs.length));
    manifest.runs.forEach((run, r) => {
      const mine = state.items().filter((item) => item.run === r && !item.idle);
      for (const item of mine.slice(0, each)) state.shown.add(item.id);
    });
  },

  items() {
    if (!state.all) {
      state.all = state.manifest.items.map((item, id) => ({ ...item, id, name: itemName(item) }));
    }
    return state.all;
  },

  visible() {
    return state.items().filter((item) => state.shown.has(item.id));
  },

  // Flows that write now and then, beside others: charts of what is carried leave them out.
  leftOut() {
    const shown = state.visible();
    const few = shown.filter(writes);
    return few.length < shown.length ? few : [];
  },

  // Apart means a panel for each flow, or for each run if that were too many.
  eachApart: () => state.apart && state.visible().length <= MOST_APART,

  toggle(id) {
    if (!state.shown.delete(id)) state.shown.add(id);
    state.tell();
  },

  watch(watcher) {
    state.watchers.push(watcher);
  },

  tell() {
    for (const watcher of state.watchers) watcher();
  },
};

const writes = (item) => Boolean(state.manifest.runs[item.run].groups?.[item.group]?.writes);

function itemName(item) {
  const { runs, items } = state.manifest;
  if (runs.length === 1) return item.flow;
  const alone = items.filter((other) => other.run === item.run).length === 1;
  return alone ? runs[item.run].label : runs[item.run].label + " · " + item.flow;
}

// An item's colour. A flow that has a panel to itself is drawn in the colours of the roles
// instead: data, ACKs and retransmissions differ, and the panel's name says whose they are.
export const itemColour = (item) => theme.slots[item.slot];
export const ownColour = (role) => theme.roles[role] || theme.slots[role];
export const roleColour = (item, role) => (state.visible().length === 1 || state.eachApart() ? ownColour(role) : itemColour(item));
