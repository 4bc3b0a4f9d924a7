// Commands with a button that copies them, and tables that a telephone shows as blocks.

// Most letters of a cell that shares its line with others, and of one in a table that is pushed along.
const SHORT = 22, NUMBERS = 30;
const NARROW = matchMedia("(max-width: 700px)");
// Pixels of a page that is read whole on a telephone: some 25 screens.
const LONG = 20_000;

// What is typed of a block: all of a script; of a terminal the lines after a prompt, and those that continue them.
function typed(block) {
  const text = block.querySelector("pre").textContent;
  if (!block.classList.contains("highlight-console")) return text;
  let goesOn = false;
  return text.split("\n").flatMap((line) => {
    const command = line.startsWith("$ ") ? line.slice(2) : goesOn ? line : null;
    goesOn = command !== null && command.endsWith("\\");
    return command === null ? [] : [command];
  }).join("\n") + "\n";
}

for (const block of document.querySelectorAll(".highlight-sh, .highlight-bash, .highlight-console, .highlight-toml, .highlight-python")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy: ${typed(block).split("\n")[0]}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(typed(block));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  block.append(button);
}

for (const table of document.querySelectorAll("article table")) {
  const heads = [...(table.tHead ? table.tHead.rows[0].cells : [])].map((head) => head.textContent.trim());
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const words = rows.some((row) => [...row.cells].some((cell, i) => i > 0 && cell.textContent.length > NUMBERS));
  if (heads.length < 3 || !words) continue;
  table.classList.add("stacked");
  for (const row of rows) {
    for (const [i, cell] of [...row.cells].entries()) {
      const text = cell.textContent.trim();
      cell.classList.add(i === 0 ? "named" : !text ? "empty" : text.length > SHORT ? "long" : "short");
      // A sentence tells by itself what it is about, and so do a key, its value and its meaning.
      if (heads.length > 3 && i > 0 && text.length <= SHORT) cell.dataset.head = heads[i];
    }
  }
}

// What can be pushed along is reached by keys, too.
function reachable() {
  for (const [selector, name] of [[".table-wrapper", "Table"], [".highlight pre", "Code"], ["article p:has(img)", "Picture"]]) {
    for (const part of document.querySelectorAll(selector)) {
      // A picture that is not loaded yet has no width, and is wider than a telephone.
      if (name === "Picture" ? !NARROW.matches : part.scrollWidth <= part.clientWidth) continue;
      part.tabIndex = 0;
      part.setAttribute("role", "group");
      part.setAttribute("aria-label", name);
    }
  }
}

// On a telephone a long page begins as the list of its sections; an address opens the sections that it stands in.
function foldSections() {
  for (const head of document.querySelectorAll("article section > h2")) {
    const section = head.parentElement;
    const [part, line] = ["details", "summary"].map((tag) => document.createElement(tag));
    part.className = "section";
    part.append(line, ...[...section.childNodes].filter((one) => one !== head && !one.classList?.contains("target")));
    head.querySelector(".headerlink")?.remove();
    line.append(head);
    section.append(part);
    part.addEventListener("toggle", reachable);
  }
  const open = (chosen) => document.querySelectorAll("details.section").forEach((part) => (part.open = chosen(part)));
  const show = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    open((part) => part.open || part.contains(target) || part.parentElement === target);
    target.scrollIntoView({ behavior: "instant" });
  };
  addEventListener("hashchange", show);
  NARROW.addEventListener("change", () => open(() => !NARROW.matches));
  addEventListener("beforeprint", () => open(() => true));
  show();
}

if (NARROW.matches && document.documentElement.scrollHeight > LONG) foldSections();
reachable();

// A column without a name has no heading.
for (const head of document.querySelectorAll("th")) if (!head.textContent.trim()) head.replaceWith(document.createElement("td"));

// The theme names neither of its two sides, and gives its captions no level.
for (const [selector, name] of [[".sidebar-drawer", "All pages"], [".toc-drawer", "This page"]]) document.querySelector(selector)?.setAttribute("aria-label", name);
for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");
