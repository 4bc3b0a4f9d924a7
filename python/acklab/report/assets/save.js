// Charts as files: SVG as it is, PNG painted from the same SVG.
import { h } from "./dom.js";

// Two buttons; `make` gives the SVG's text when one is pressed.
export function saveButtons(name, title, make) {
  const button = (kind, act) => h("button", { type: "button", class: "save", "aria-label": `Save “${title}” as ${kind}`, onclick: async () => saveFile(await act(await make()), `${name}.${kind.toLowerCase()}`) }, kind);
  return h("span", { class: "group saves" }, button("SVG", (text) => new Blob([text], { type: "image/svg+xml" })), button("PNG", painted));
}

// Gives the reader a file.
export function saveFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Twice as many dots as the SVG is wide.
async function painted(text) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: 2 * image.width, height: 2 * image.height }));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
