// What an address points to is shown, also where it stands in a closed part; on paper every part is open.
export function wireUnfold() {
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    target.hidden = false;
    target.querySelector("details")?.setAttribute("open", "");
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target.scrollIntoView({ behavior: "instant" });
  };
  addEventListener("hashchange", unfold);
  unfold();

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:is(.card, .fold, .aside):not([open]), .claims details:not([open])")];
    for (const part of closed) part.setAttribute("open", "");
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.removeAttribute("open");
  });
}
