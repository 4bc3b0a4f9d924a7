// The stretch shown as a part of the page's address, "#t=1.2,3.4": a view that can be kept and passed on.
import { exact } from "./format.js";

export function wireFragment(view) {
  const read = () => {
    const found = /^#t=([\d.]+),([\d.]+)$/.exec(location.hash);
    if (found) view.show(Number(found[1]), Number(found[2]));
  };
  let timer = 0;
  view.watch((what) => {
    if (what !== "range") return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const mine = view.whole ? "" : `#t=${exact(view.from)},${exact(view.to)}`;
      if (location.hash !== mine && (mine || location.hash.startsWith("#t="))) history.replaceState(null, "", mine || location.href.split("#")[0]);
    }, 150);
  });
  addEventListener("hashchange", read);
  read();
}
