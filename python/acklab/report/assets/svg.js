// A drawing context that writes SVG: as much of CanvasRenderingContext2D as the charts use.
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const n = (value) => String(Math.round(value * 100) / 100);

export class SvgContext {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  lineJoin = "miter";
  font = "12px sans-serif";
  textAlign = "left";
  textBaseline = "alphabetic";
  dashes = [];
  path = [];
  out = [];
  kept = [];
  open = 0;
  clips = 0;
  ruler = document.createElement("canvas").getContext("2d");

  constructor(width, height) {
    this.width = width;
    this.height = height;
  }

  beginPath() {
    this.path = [];
  }
  moveTo(x, y) {
    this.path.push(`M${n(x)} ${n(y)}`);
  }
  lineTo(x, y) {
    this.path.push(`${this.path.length ? "L" : "M"}${n(x)} ${n(y)}`);
  }
  rect(x, y, w, h) {
    this.path.push(`M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}Z`);
  }
  roundRect(x, y, w, h) {
    this.rect(x, y, w, h);
  }
  // Only whole circles are drawn.
  arc(x, y, r) {
    this.path.push(`M${n(x + r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0`);
  }
  setLineDash(dashes) {
    this.dashes = dashes;
  }
  getLineDash() {
    return this.dashes;
  }
  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, lineJoin, font, textAlign, textBaseline, dashes, open } = this;
    this.kept.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, lineJoin, font, textAlign, textBaseline, dashes, open });
  }
  restore() {
    const before = this.kept.pop();
    this.out.push("</g>".repeat(this.open - before.open));
    Object.assign(this, before);
  }
  clip() {
    const id = `clip${this.clips++}`;
    this.out.push(`<clipPath id="${id}"><path d="${this.path.join("")}"/></clipPath><g clip-path="url(#${id})">`);
    this.open++;
  }

  element(tag, attributes) {
    const alpha = this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : "";
    this.out.push(`<${tag} ${attributes}${alpha}/>`);
  }
  get pen() {
    const dashes = this.dashes.length ? ` stroke-dasharray="${this.dashes.join(" ")}"` : "";
    return `fill="none" stroke="${this.strokeStyle}" stroke-width="${n(this.lineWidth)}" stroke-linejoin="${this.lineJoin}"${dashes}`;
  }
  stroke() {
    if (this.path.length) this.element("path", `d="${this.path.join("")}" ${this.pen}`);
  }
  fill() {
    if (this.path.length) this.element("path", `d="${this.path.join("")}" fill="${this.fillStyle}"`);
  }
  fillRect(x, y, w, h) {
    const [left, top] = [Math.min(x, x + w), Math.min(y, y + h)];
    this.element("rect", `x="${n(left)}" y="${n(top)}" width="${n(Math.abs(w))}" height="${n(Math.abs(h))}" fill="${this.fillStyle}"`);
  }
  fillText(text, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] || "start";
    const size = Number((this.font.match(/([\d.]+)px/) || [0, 12])[1]);
    const down = { middle: 0.35, top: 0.85, bottom: -0.2 }[this.textBaseline] || 0;
    const weight = /bold|600/.test(this.font) ? ' font-weight="600"' : "";
    this.out.push(`<text x="${n(x)}" y="${n(y + down * size)}" font-size="${n(size)}" text-anchor="${anchor}" fill="${this.fillStyle}"${weight}>${escaped(text)}</text>`);
  }

  // The whole file, on a background, with a title.
  text(title, background, font) {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${n(this.width)} ${n(this.height)}" width="${n(this.width)}" height="${n(this.height)}" role="img" font-family="${escaped(font)}"><title>${escaped(title)}</title><rect width="100%" height="100%" fill="${background}"/>${this.out.join("")}</svg>\n`;
  }
}
