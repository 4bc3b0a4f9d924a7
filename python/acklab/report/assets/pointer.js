// Mouse, wheel, pen and fingers on a chart.
//   move: read values · drag: choose a stretch (or move, by the switch or with Shift)
//   wheel: zoom once the chart was clicked, or with Ctrl · sideways wheel: move
//   one finger sideways: move · two fingers: zoom · double click: all
import { state } from "./state.js";

export function wirePointer(frame) {
  const { front } = frame;
  const fingers = new Map();
  let start = null;
  let pinch = null;
  let turn = {};
  let turned = -Infinity;

  const place = (event) => {
    const r = front.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  };

  const read = (x, y) => {
    const found = frame.find(x, y);
    state.view.point(frame.timeAt(x, y));
    frame.showTip(found, x, y);
  };

  const leave = () => {
    state.view.point(null);
    frame.showTip(null);
  };

  front.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    const [x, y] = place(event);
    fingers.set(event.pointerId, [x, y]);
    front.setPointerCapture(event.pointerId);
    if (fingers.size === 2) {
      start = null;
      const [a, b] = [...fingers.values()];
      pinch = { apart: Math.max(20, Math.abs(a[0] - b[0])), at: frame.timeAt((a[0] + b[0]) / 2, a[1]), span: state.view.span };
      return;
    }
    const move = event.pointerType === "touch" || event.shiftKey || event.button === 1 || state.drag === "move";
    start = { x, y, time: frame.timeAt(x, y), move, from: state.view.from, to: state.view.to, perDot: frame.timeAt(x + 1, y) - frame.timeAt(x, y) };
    if (event.button === 1) event.preventDefault();
  });

  front.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, [x, y]);
    if (pinch && fingers.size === 2) {
      const [a, b] = [...fingers.values()];
      const span = (pinch.span * pinch.apart) / Math.max(20, Math.abs(a[0] - b[0]));
      const share = (pinch.at - state.view.from) / state.view.span;
      state.view.show(pinch.at - share * span, pinch.at + (1 - share) * span, pinch);
      return;
    }
    if (start && Math.abs(x - start.x) + Math.abs(y - start.y) > 4) start.dragged = true;
    if (start && start.dragged) {
      frame.showTip(null);
      if (start.move) {
        const seconds = (start.x - x) * start.perDot;
        state.view.show(start.from + seconds, start.to + seconds, start);
      } else {
        frame.selection = [start.time, frame.timeAt(x, y)];
        frame.drawFront();
      }
      return;
    }
    if (event.pointerType !== "touch") read(x, y);
  });

  const end = (event) => {
    const [x, y] = place(event);
    fingers.delete(event.pointerId);
    if (pinch && fingers.size < 2) {
      pinch = null;
      start = null;
      return;
    }
    if (start && !start.dragged && event.type === "pointerup") read(x, y);
    if (frame.selection) {
      const [a, b] = frame.selection;
      frame.selection = null;
      if (event.type === "pointerup") state.view.show(Math.min(a, b), Math.max(a, b));
      frame.drawFront();
    }
    start = null;
  };
  front.addEventListener("pointerup", end);
  front.addEventListener("pointercancel", end);
  front.addEventListener("pointerleave", (event) => {
    if (!fingers.has(event.pointerId) && event.pointerType !== "touch") leave();
  });
  front.addEventListener("dblclick", () => state.view.reset());
  front.addEventListener("blur", leave);

  front.addEventListener("wheel", (event) => {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!sideways && !event.ctrlKey && !event.metaKey && document.activeElement !== front) {
      frame.hint("Click the chart, or hold Ctrl, to zoom with the wheel");
      return;
    }
    event.preventDefault();
    // What a wheel does without a rest is one step.
    if (event.timeStamp - turned > 600) turn = {};
    turned = event.timeStamp;
    const unit = event.deltaMode === 1 ? 30 : 1;
    const [x, y] = place(event);
    if (sideways) state.view.pan((event.deltaX * unit * state.view.span) / frame.width, turn);
    else state.view.zoom(Math.exp((-event.deltaY * unit) / 400), frame.timeAt(x, y), turn);
  }, { passive: false });
}
