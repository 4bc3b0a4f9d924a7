// Puts the page together.

// A row of buttons of which one is on.
function choice(label, options, current, choose) {
  const buttons = options.map(([value, text]) => h("button", { type: "button", "aria-pressed": String(value === current), onclick: () => {
    choose(value);
    buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(options[i][0] === value)));
  } }, text));
  return h("span", { class: "segmented", role: "group", "aria-label": label }, buttons);
}

function toolBar() {
  const { view } = state;
  const button = (text, label, action, more) => h("button", { type: "button", "aria-label": label, title: label, onclick: action, ...more }, text);
  const back = button("Back", "Back to the stretch before (Backspace)", () => view.back());
  const all = button("All", "Show the whole run (0)", () => view.reset());
  const tools = h("div", { class: "tools" },
    h("span", { class: "group" }, button(MINUS, "Zoom out", () => view.zoom(1 / 1.6)), button("+", "Zoom in", () => view.zoom(1.6)), all, back),
    navigator_.range,
    h("span", { class: "group push wide" }, choice("What dragging does", [["zoom", "Drag zooms"], ["move", "Drag moves"]], state.drag, (v) => (state.drag = v))),
    state.several ? choice("Flows and runs", [[false, "Overlaid"], [true, "Apart"]], state.apart, (v) => ((state.apart = v), invalidateAll())) : null,
);
  view.watch(() => {
    back.disabled = !view.past.length;
    all.disabled = view.whole;
  });
  back.disabled = all.disabled = true;
  return tools;
}

// A switch for each flow, if they are not too many to be read.
function flowChips() {
  if (!state.several) return null;
  const items = state.items();
  const row = h("div", { class: "chips", role: "group", "aria-label": "Flows drawn" });
  const fill = () => {
    const listed = items.length <= 14 ? items : state.visible().slice(0, 14);
    const others = items.length - listed.length;
    row.replaceChildren(...listed.map((item) => h("button", { type: "button", class: "chip", "aria-pressed": String(state.shown.has(item.id)), style: { "--c": `var(--slot-${item.slot})` }, onclick: () => state.toggle(item.id) }, h("span", { class: "swatch" }), item.name)),
      others ? h("span", { class: "note" }, `${others} more in the table of flows`) : "");
  };
  fill();
  state.watch(fill);
  return row;
}

function start() {
  const manifest = JSON.parse(byId("manifest").textContent);
  theme.start(manifest.palette);
  state.start(manifest);
  const { runs, title } = manifest;
  const seeds = [...new Set(runs.map((run) => run.seed).filter((seed) => seed !== null))];
  byId("kicker").textContent = [title, runs.length > 1 ? `${runs.length} runs` : "", seeds.length ? `seed ${seeds.slice(0, 6).join(", ")}` : ""].filter(Boolean).join(" · ");
  byId("theme").append(choice("Colours", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], theme.choice, (v) => theme.choose(v)));
  byId("summary").append(...summary().filter(Boolean));
  byId("bar").append(h("div", { class: "bar-in" }, navigator_.build(), toolBar(), flowChips()));
  byId("tables").append(sortableTable({ title: "Flows", kind: "flows", table: manifest.tables.flows, about: "Sort by a click on a heading." }));
  if (manifest.tables.links.rows.length) byId("tables").append(sortableTable({ title: "Links", kind: "links", table: manifest.tables.links, about: "One row for each direction of a link." }));

  const queues = new Frame(queueChart);
  linkSwitches(queues);
  const bands = new Timeline();
  const charts = [new Frame(sequenceChart), new Frame(windowChart), bands, new Frame(rttChart), queues, new Frame(throughputChart)];
  byId("charts").append(...charts.map((chart) => chart.element));
  byId("foot").append(keysHelp(), h("p", {}, "Made by acklab. This page holds its data and asks nothing of any network."));

  state.view.watch((what) => {
    if (what === "range") {
      bands.hurry();
      invalidateAll();
    } else for (const frame of frames) if (frame.onScreen) frame.drawFront();
    navigator_.draw();
  });
  state.watch(() => {
    invalidateAll();
    navigator_.load();
  });
  theme.watchers.push(() => {
    // Print wants every chart, drawn at once, whether on screen or not.
    if (theme.printing) for (const frame of frames) frame.parts && frame.draw();
    else invalidateAll();
    navigator_.draw();
  });
  return opened();
}

// Draws what is in sight first and notes how long that took since the page was asked for.
async function opened() {
  const height = innerHeight;
  const seen = frames.filter((frame) => frame.element.getBoundingClientRect().top < height);
  await Promise.all(seen.map((frame) => ((frame.onScreen = true), frame.update())));
  await navigator_.load();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  document.documentElement.dataset.openedMs = String(Math.round(performance.now()));
  // The others when there is time, so that scrolling finds them drawn.
  for (const frame of frames) {
    if (!frame.parts) await frame.update();
    await new Promise((done) => setTimeout(done));
  }
  document.documentElement.dataset.readyMs = String(Math.round(performance.now()));
}

start();
