// Single values in a scenario's TOML: where they stand, and how they are replaced. The rest of the text stays as it is.

// Where the value of a key stands, [from, to], or null. A path is like "link.-1.back.rate": a table, its number (counted from
// the end if negative), and a key, which may stand on a line of its own or in an inline table.
export function placeOf(text, path) {
  const { section, keys } = sectionOf(text, path);
  return section && within(text, ...section, keys);
}

export function valueOf(text, path) {
  const place = placeOf(text, path);
  return place && text.slice(...place);
}

// The text with another value there. A key that is missing is added, if its table is there.
export function replaced(text, path, value) {
  const place = placeOf(text, path);
  if (place) return text.slice(0, place[0]) + value + text.slice(place[1]);
  const { section, keys } = sectionOf(text, path);
  if (!section) return text;
  for (let n = keys.length - 1; n > 0; n--) {
    const parent = within(text, ...section, keys.slice(0, n));
    if (!parent || text[parent[0]] !== "{") continue;
    const rest = text.slice(parent[0] + 1);
    return `${text.slice(0, parent[0] + 1)} ${keys.slice(n).join(".")} = ${value}${rest.trimStart()[0] === "}" ? "" : ","}${rest}`;
  }
  const body = text.slice(...section).trimEnd();
  return `${text.slice(0, section[0])}${body}\n${keys.join(".")} = ${value}${text.slice(section[0] + body.length)}`;
}

// The text without that key.
export function removed(text, path) {
  const place = placeOf(text, path);
  if (!place) return text;
  const head = text.slice(0, place[0]).replace(/[\w.-]+[ \t]*=[ \t]*$/, "");
  const tail = text.slice(place[1]);
  if (/^[ \t]*$/.test(head.slice(head.lastIndexOf("\n") + 1))) return head + tail.replace(/^.*\n?/, "");
  if (/^[ \t]*,/.test(tail)) return head + tail.replace(/^[ \t]*,[ \t]*/, "");
  return head.replace(/,[ \t]*$/, "") + tail;
}

function sectionOf(text, path) {
  const keys = path.split(".");
  const heads = [...text.matchAll(/^[ \t]*\[\[?[ \t]*([\w.-]+)[ \t]*\]\]?.*$/gm)];
  const ends = heads.map((head, i) => [head.index + head[0].length, i + 1 < heads.length ? heads[i + 1].index : text.length]);
  if (!/^-?\d+$/.test(keys[1])) return { section: [0, heads.length ? heads[0].index : text.length], keys };
  const places = ends.filter((_, i) => heads[i][1] === keys[0]);
  return { section: places.at(Number(keys[1])), keys: keys.slice(2) };
}

// In a table's lines, or in an inline table, which begins with its brace.
function within(text, from, to, keys) {
  const inline = text[from] === "{";
  for (let n = keys.length; n > 0; n--) {
    const name = keys.slice(0, n).join(".");
    const place = inline ? entryWith(text, from + 1, to, name) : lineWith(text, from, to, name);
    if (place) return n === keys.length ? place : within(text, ...place, keys.slice(n));
  }
  return null;
}

function lineWith(text, from, to, name) {
  const found = new RegExp(`^[ \\t]*${name.replaceAll(".", "[ \\t]*\\.[ \\t]*")}[ \\t]*=[ \\t]*`, "m").exec(text.slice(from, to));
  return found && [from + found.index + found[0].length, endOf(text, from + found.index + found[0].length)];
}

function entryWith(text, from, to, name) {
  for (let at = from; at < to;) {
    const key = /^[\s,]*([\w-][\w. \t-]*?)[ \t]*=[ \t]*/.exec(text.slice(at, to));
    if (!key) return null;
    const start = at + key[0].length;
    at = endOf(text, start);
    if (key[1].replace(/[ \t]/g, "") === name) return [start, at];
  }
  return null;
}

// One past the last character of the value that begins here.
function endOf(text, start) {
  let depth = 0;
  let quote = "";
  let at = start;
  for (; at < text.length; at++) {
    const c = text[at];
    if (quote) {
      if (c === "\\" && quote === '"') at++;
      else if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === "{" || c === "[") depth++;
    else if (depth && (c === "}" || c === "]")) depth--;
    else if (!depth && (c === "," || c === "}" || c === "]" || c === "\n" || c === "#")) break;
  }
  return start + text.slice(start, at).trimEnd().length;
}

/** @type {[string, number][]} */
const UNITS = [["Gbps", 1e9], ["Mbps", 1e6], ["kbps", 1e3], ["bps", 1], ["min", 60], ["ms", 1e-3], ["us", 1e-6], ["ns", 1e-9], ["s", 1]];

// "1.5Mbps" as 1500000; NaN for what is none.
export function quantity(text) {
  const found = /^"?\s*([\d.]+)\s*([A-Za-z]*)\s*"?$/.exec(text || "");
  const unit = found && (found[2] ? UNITS.find(([name]) => name === found[2]) : ["", 1]);
  return unit ? Number(found[1]) * Number(unit[1]) : NaN;
}

// 1500000 as "1.5Mbps", in the largest of these units that leaves at least 1.
export function written(value, units) {
  const choices = UNITS.filter(([name]) => units.includes(name)).sort((a, b) => b[1] - a[1]);
  const [name, size] = choices.find(([, size]) => value >= size * 0.9999999) || choices[choices.length - 1];
  return `${Number((value / size).toPrecision(6))}${name}`;
}
