// The page works without this: it only switches the theme and filters the claims.
const root = document.documentElement;
const button = document.querySelector("#theme button");
const dark = () => root.dataset.theme === "dark" || (root.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
  });
}
for (const filter of document.querySelectorAll(".filters button")) {
  filter.hidden = false;
  filter.addEventListener("click", () => {
    for (const other of document.querySelectorAll(".filters button")) other.setAttribute("aria-pressed", String(other === filter));
    for (const row of document.querySelectorAll(".claims tbody tr")) {
      row.hidden = filter.value !== "" && !row.dataset.kind.split(" ").includes(filter.value);
    }
  });
}
