// What a chart's panels hold, and how high they reach.
import { MOST_APART, state } from "./state.js";

// Each flow by itself, or each run; else what of a single run belongs together: flows by their group, queues by their link.
export function panelsOf(parts) {
  if (!state.apart || parts.length < 2) return parts.length ? together(parts) : [];
  if (parts.length <= MOST_APART) return parts.map((part) => ({ title: part.name, slot: part.slot, parts: [part] }));
  const { runs } = state.manifest;
  return runs.map((run, r) => ({ title: run.label, slot: run.slot, parts: parts.filter((part) => part.run === r) })).filter((panel) => panel.parts.length);
}

function together(parts) {
  const kinds = [...new Set(parts.map((part) => part.group))];
  if (state.compared || kinds.length < 2) return [{ title: "", parts }];
  return kinds.map((kind) => {
    const mine = parts.filter((part) => part.group === kind);
    return { title: typeof kind === "string" ? kind : state.manifest.runs[0].groups[kind].name, slot: mine.length === 1 ? mine[0].slot : undefined, parts: mine };
  });
}

// The ends of the value axis of some parts, or null where nothing is in sight.
export function limitsOf(frame, parts) {
  const { spec } = frame;
  const { view } = state;
  let low = Infinity;
  let high = -Infinity;
  for (const part of parts) {
    const [a, b] = spec.range(part, frame.data.get(part.id), view.from, view.to, frame);
    low = Math.min(low, a);
    high = Math.max(high, b);
  }
  if (!(high >= low)) return null;
  return spec.frame ? spec.frame(low, high) : [0, high * 1.06 || 1];
}

// A role's name in the legend, with the values that the role tells of its parts.
export function roleName(role, parts) {
  const told = role.value ? [...new Set(parts.map(role.value).filter(Boolean))] : [];
  return told.length && told.length <= 2 ? `${role.name}: ${told.join(", ")}` : role.name;
}
