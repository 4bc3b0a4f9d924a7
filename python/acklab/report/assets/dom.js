// Elements made in one call: h("button", {class: "chip", onclick: f}, "text", child).
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style" && typeof value === "object") {
      for (const [property, v] of Object.entries(value)) element.style.setProperty(property, v);
    } else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

// Marks a row that scrolls sideways while there is more of it at the right.
export function cued(row) {
  const look = () => row.classList.toggle("more", row.scrollWidth - row.clientWidth - row.scrollLeft > 4);
  row.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(row);
  new MutationObserver(look).observe(row, { childList: true });
  return row;
}

// Says something to a screen reader without moving the focus.
export function announce(text) {
  const live = byId("live");
  if (live.textContent !== text) live.textContent = text;
}

// A button that is on or off, with the colour of what it switches.
export function chip(text, on, act, slot) {
  const swatch = slot && h("span", { class: "swatch", style: { "--c": `var(--slot-${slot})` } });
  return h("button", { type: "button", class: "chip", "aria-pressed": String(on), onclick: act }, swatch, text);
}

// A row of buttons of which one is on.
export function choice(label, options, current, choose) {
  const buttons = options.map(([value, text]) => h("button", { type: "button", "aria-pressed": String(value === current), onclick: () => {
    choose(value);
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(options[i][0] === value)));
  } }, text));
  return h("span", { class: "segmented", role: "group", "aria-label": label }, buttons);
}
