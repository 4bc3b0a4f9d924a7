// The command that made the page, with a button that copies it.
import { announce, byId, h } from "./dom.js";

export function wireCommand() {
  const code = byId("command");
  if (!code) return;
  const button = h("button", { type: "button", class: "copy" }, "Copy");
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
  code.after(" ", button);
}
