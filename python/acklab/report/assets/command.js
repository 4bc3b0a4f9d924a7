// Commands of the page, such as that which made it, each with a button that copies it.
import { announce, h } from "./dom.js";

export function wireCommand() {
  for (const code of document.querySelectorAll(".made code")) code.after(" ", copyButton(code));
}

// A button that copies an element's text.
export function copyButton(code) {
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy ${code.textContent}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // Where a page may not write to the clipboard, the old way may.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    announce("The command is copied");
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return button;
}
