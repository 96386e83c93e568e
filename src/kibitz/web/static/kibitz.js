// The pages' script: lists moves, draws bars, runs clocks; board.js adds the board. The server makes all decisions.
window.kibitz = (() => {
  function move(id, ply, deeds) {
    const list = document.getElementById(id);
    if (!list || list.querySelector(`[data-ply="${ply}"]`)) return;
    const row = document.createElement("li");
    row.dataset.ply = ply;
    row.value = ply;
    deeds.forEach(([player, who, words]) => {
      const deed = document.createElement("span");
      deed.className = player < 0 ? "deed" : `deed player${player % 6}`;
      deed.textContent = `${who} ${words}`;
      row.append(deed, " ");
    });
    list.append(row);
    list.scrollTop = list.scrollHeight;
    window.kibitz.heard?.();
  }

  function words(id, text) {
    const element = document.getElementById(id);
    if (element && element.textContent !== text) element.textContent = text;
  }

  function here(id, ply) {
    document.querySelectorAll(`#${id} li`).forEach((row) => {
      row.toggleAttribute("aria-current", Number(row.dataset.ply) === ply);
      if (Number(row.dataset.ply) === ply) row.scrollIntoView({ block: "nearest" });
    });
  }

  function copy(id, address) {
    navigator.clipboard?.writeText(new URL((window.path_prefix ?? "") + address, location.href).href);
  }

  const node = (name, textContent, className = "") => Object.assign(document.createElement(name), { textContent, className });

  function bars(id, watchers) {
    document.getElementById(id)?.replaceChildren(
      ...watchers.map(([label, players]) => {
        const box = document.createElement("section");
        box.append(node("h3", label), ...players.flatMap((rows) => playerRows(label, rows)));
        return box;
      }),
    );
  }

  function playerRows(label, [player, name, heading, enough, belief, words, meaning, spoken, against, habits]) {
    const rows = [];
    if (name) rows.push(node("h4", name, `player${player % 6}`));
    if (heading) rows[0].append(node("span", heading, enough ? "verdict enough" : "verdict"));
    const wide = belief.some(([what]) => what.length > 16);
    for (const [what, percent, sense] of belief) {
      const row = node("div", "", wide ? "belief wide" : "belief");
      const bar = node("span", "", `bar player${player % 6}`);
      row.setAttribute("role", "meter");
      row.setAttribute("aria-label", `${label}: ${name} is ${what}`);
      row.setAttribute("aria-valuenow", percent);
      row.setAttribute("aria-valuemin", 0);
      row.setAttribute("aria-valuemax", 100);
      row.title = sense ? `${what}: ${sense}` : what;
      bar.style.width = `${percent / (wide ? 4 : 2)}%`;
      row.append(node("span", what), bar, `${percent}%`);
      rows.push(row);
    }
    if (words) rows.push(node("p", words));
    if (meaning) rows.push(node("p", meaning, "meaning"));
    const told = [...spoken.map((move) => ["for", `▲ ${move}`]), ...against.map((move) => ["against", `▼ ${move}`])];
    if (told.length || habits.length) {
      const list = node("ul", "", "told");
      list.append(...told.map(([way, move]) => node("li", move, way)),
        ...(habits.length ? [node("li", `habits: ${habits.join("; ")}`)] : []));
      rows.push(list);
    }
    return rows;
  }

  const CHART_AFTER = 200; // milliseconds: the board comes first, because a chart takes longer to draw
  const charts = new Map();
  function lines(id, points, fresh) {
    if (fresh || !charts.has(id)) charts.set(id, { series: new Map(), waiting: false });
    const { series, waiting } = charts.get(id);
    for (const [name, ply, percent] of points) {
      if (!series.has(name)) series.set(name, { name, type: "line", showSymbol: false, data: [] });
      series.get(name).data.push([ply, percent]);
    }
    if (waiting) return;
    charts.get(id).waiting = true;
    setTimeout(drawn, CHART_AFTER, id);
  }

  function drawn(id) {
    const kept = charts.get(id), series = [...kept.series.values()];
    kept.waiting = false;
    const options = { series, legend: { data: series.map((each) => each.name) } };
    getElement(Number(id.slice(1)))?.chart?.setOption(options, { replaceMerge: ["series"] });
  }

  function dusk() {
    const kept = localStorage.getItem("kibitz-dark");
    if (kept !== null && window.Quasar) Quasar.Dark.set(kept === "true");
  }

  function turn() {
    Quasar.Dark.toggle();
    localStorage.setItem("kibitz-dark", Quasar.Dark.isActive);
  }
  addEventListener("load", () => setTimeout(dusk));

  const clocks = new Map();
  function clock(id, seconds, running) {
    clocks.set(id, { seconds, running, since: performance.now() });
  }
  setInterval(() => {
    for (const [id, { seconds, running, since }] of clocks) {
      const left = Math.max(0, seconds - (running ? (performance.now() - since) / 1000 : 0));
      const element = document.getElementById(id);
      if (element) element.textContent = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    }
  }, 200);

  const changes = { move, words, here, copy, bars, lines, clock };
  function all(calls) {
    for (const [name, ...given] of calls) changes[name](...given);
  }

  return { all, turn, changes };
})();
