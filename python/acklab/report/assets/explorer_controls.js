// Sliders and menus over a scenario's text: each reads one value of it, and writes one.
import { h } from "./dom.js";
import { placeOf, quantity, removed, replaced, valueOf, written } from "./explorer_text.js";

// `steps` are the slider's values; it stands at the nearest.
const decades = (from, to, each) => {
  const out = [];
  for (let n = 0; ; n++) {
    const value = Number((from * Math.pow(10, n / each)).toPrecision(2));
    if (value > to * 1.0001) return out;
    out.push(value);
  }
};

const rateText = (value) => JSON.stringify(written(value, ["Gbps", "Mbps", "kbps"]));
const lengthText = (value) => JSON.stringify(written(value, ["s", "ms"]));
const countText = (value) => String(value);

// "20000000bps" as "20 Mb/s": a value as people read it; a table is told by its kind.
function spaced(text) {
  const kind = /\bkind\s*=\s*(\w+)/.exec(text);
  if (text.startsWith("{")) return kind ? `${kind[1]}, as written below` : "as written below";
  const value = quantity(text);
  if (!Number.isFinite(value) || !/[a-z]/i.test(text)) return text;
  return written(value, /bps/.test(text) ? ["Gbps", "Mbps", "kbps"] : ["s", "ms"]).replace("bps", "b/s").replace(/^([\d.]+)/, "$1\u00a0");
}

/** @type {any[]} */
const SLIDERS = [
  { id: "rate", name: "Rate", path: "link.-1.rate", steps: decades(1e5, 1e8, 12), write: rateText },
  { id: "delay", name: "Delay, one way", path: "link.-1.delay", steps: decades(1e-3, 0.5, 12), write: lengthText },
  { id: "queue", name: "Queue, packets", path: "link.-1.queue.packets", steps: [...new Set(decades(2, 1000, 12).map(Math.round))], write: countText },
  { id: "loss", name: "Random loss", path: "link.-1.loss.rate", steps: [0, ...decades(1e-4, 0.1, 8)], write: countText, table: "loss", show: (value) => `${Number((value * 100).toPrecision(3))} %` },
  { id: "back", name: "Rate of the return path", path: "link.-1.back.rate", like: "link.-1.rate", steps: decades(1e4, 1e8, 12), write: rateText },
  { id: "stop", name: "Length of the run", path: "stop.at", steps: [0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30], write: lengthText },
];

/** @type {(queues: string[][]) => any[]} */
const menus = (queues) => [
  {
    id: "ack", name: "ACK policy", path: "flow.0.receiver.ack",
    options: [
      ["every segment", '{ policy = "every" }'],
      ["delayed (RFC 1122)", '{ policy = "delayed" }'],
      ["delayed after slow start (DAASS)", '{ policy = "daass" }'],
      ["every 8th segment", '{ policy = "delayed", segments = 8, timer = "200ms" }'],
      ["Linux", '{ policy = "linux" }'],
      ["smartacking", '{ policy = "smart" }'],
      ["pieces after a loss, to restore the window", '{ policy = "restore" }'],
      ["at most 4 a round trip (TACK's clock)", '{ policy = "periodic" }'],
      ["as congestion on the return path allows (ACC)", '{ policy = "acc" }'],
      ["4 pieces of each (division)", '{ policy = "divide", pieces = 4 }'],
      ["duplicates without cause (spoofing)", '{ policy = "spoof" }'],
      ["ahead of the data (optimistic)", '{ policy = "optimistic" }'],
      ["QUIC: every 2nd packet", '{ policy = "quic" }'],
      ["QUIC: every 10th packet", '{ policy = "quic", segments = 10 }'],
    ],
  },
  {
    id: "stack", name: "Sender", path: "flow.0.sender.stack",
    options: [["by the RFCs", '"rfc"'], ["Linux", '"linux"'], ["QUIC", '"quic"'], ["ns-2 of 1998", '"ns2-1998"'], ["ns-2.35", '"ns2-2.35"']],
  },
  {
    id: "control", name: "Congestion control", path: "flow.0.sender.control",
    options: [["Reno", '"reno"'], ["CUBIC", '"cubic"'], ["Veno", '"veno"'], ["Vegas", '"vegas"'], ["Westwood+", '"westwood"'], ["BBR version 1", '"bbr"'], ["BBR version 3", '"bbr3"'], ["DCTCP", '"dctcp"'], ["Prague (L4S)", '"prague"']],
  },
  { id: "aqm", name: "Kind of queue", path: "link.-1.queue", within: "link.-1.rate", none: "drop-tail, 1000 packets", options: queues },
  { id: "backaqm", name: "Kind of queue on the return path", path: "link.-1.back.queue", within: "link.-1.back.rate", none: "the same", options: queues },
  {
    id: "filter", name: "ACK filter on the return path", path: "link.-1.back.queue.filter", within: "link.-1.back.queue",
    options: [["static: keeps the newest ACK", '{ kind = "static", threshold = 1 }'], ["delayed: while the link is busy", '{ kind = "delayed" }'], ["CAKE's", '{ kind = "cake" }']],
  },
];

const squeezed = (value) => (value || "").replace(/\s+/g, "");

// The controls, which call `change(text)` with the scenario changed; `show(text)` sets them to a scenario. `queues` are the choices of a
// queue.
export function controls(change, queues) {
  let text = "";
  const parts = [...SLIDERS.map(slider), ...menus(queues).map(menu)];
  return {
    element: h("div", { class: "controls" }, parts.map((part) => part.element)),
    show(now) {
      text = now;
      for (const part of parts) part.show();
    },
  };

  function slider({ id, name, path, like, steps, write, table, show = (value) => spaced(JSON.parse(write(value))) }) {
    const input = /** @type {HTMLInputElement} */ (h("input", { type: "range", id: "set-" + id, min: "0", max: String(steps.length - 1), step: "1", oninput: () => {
      const value = write(steps[Number(input.value)]);
      // A table that is not there yet comes whole.
      const whole = table && !placeOf(text, path) && !placeOf(text, path.replace(/\.\w+$/, ""));
      change(whole ? replaced(text, path.replace(/\.\w+$/, ""), `{ rate = ${value} }`) : replaced(text, path, value));
    } }));
    const said = h("output", { for: "set-" + id });
    const why = reason(id);
    return {
      element: h("div", { class: "control" }, h("label", { for: "set-" + id }, name), said, input, why.element),
      show() {
        const now = valueOf(text, path);
        const value = quantity(now || (like && valueOf(text, like)));
        const known = Number.isFinite(value) && (value > 0 || steps[0] === 0);
        input.disabled = !placeOf(text, path) && !canAdd(id, text, path);
        why.show(input, WHY[id] || "The scenario has no such value.");
        const nearest = steps.reduce((best, step, i) => (Math.abs(step - value) < Math.abs(steps[best] - value) ? i : best), 0);
        input.value = String(known ? nearest : id === "loss" ? 0 : steps.length - 1);
        said.textContent = now ? (known && id === "loss" ? show(value) : spaced(now.replace(/"/g, ""))) : id === "loss" ? "none" : like && known ? "the same" : "–";
        input.setAttribute("aria-valuetext", said.textContent);
      },
    };
  }

  function menu({ id, name, path, options, within, none = within ? "none" : "the stack's own" }) {
    const own = h("option", { value: "own", hidden: true }, "as written below");
    const select = /** @type {HTMLSelectElement} */ (h("select", { id: "set-" + id, onchange: () => {
      change(select.value === "none" ? removed(text, path) : replaced(text, path, options[Number(select.value)][1]));
    } }, own, h("option", { value: "none" }, none), options.map(([label], i) => h("option", { value: String(i) }, label))));
    const why = reason(id);
    return {
      element: h("div", { class: "control menu" }, h("label", { for: "set-" + id }, name), select, why.element),
      show() {
        const now = valueOf(text, path);
        const at = now ? options.findIndex(([, value]) => squeezed(value) === squeezed(now)) : -1;
        const named = /\b(?:kind|policy)\s*=\s*"([\w-]+)"/.exec(now || "");
        own.textContent = `${named ? named[1] + ", " : ""}as written below`;
        select.value = at >= 0 ? String(at) : now ? "own" : "none";
        select.disabled = !now && !(within ? placeOf(text, within) : placeOf(text, "flow.0.from"));
        why.show(select, id === "filter" && !placeOf(text, "link.-1.back.rate") ? WHY.both : WHY[id] || "The scenario has no such value.");
      },
    };
  }
}

// Why a control cannot be moved, beside it.
const WHY = {
  queue: "This kind of queue has no length in packets here.",
  stop: "The run ends when its flows are complete.",
  backaqm: "Set the rate of the return path first: until then it is like the way there.",
  filter: "Choose a kind of queue on the return path first.",
  both: "Set the rate of the return path, then choose a kind of queue there.",
};

function reason(id) {
  const element = h("p", { class: "reason", id: "reason-" + id, hidden: true });
  return {
    element,
    show(control, text) {
      element.hidden = !control.disabled;
      element.textContent = control.disabled ? text : "";
      control.title = element.textContent;
      if (control.disabled) control.setAttribute("aria-describedby", element.id);
      else control.removeAttribute("aria-describedby");
    },
  };
}

// Whether a key that the text does not have may be added to it.
function canAdd(id, text, path) {
  if (id === "loss" || id === "back") return Boolean(placeOf(text, "link.-1.rate"));
  // Other kinds of queue have other limits.
  return id === "queue" && /drop-tail/.test(valueOf(text, "link.-1.queue") || "") && !/bytes/.test(valueOf(text, "link.-1.queue"));
}
