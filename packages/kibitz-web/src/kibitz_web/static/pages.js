// What the pages around the board need: cards that are pressed, what the kibitzer says, and lines over time.
(() => {
  document.documentElement.lang = "en";

  function playNow(event) {
    const button = event.target.closest("[data-game]");
    if (!button || button.getAttribute("aria-busy") === "true") return null;
    button.setAttribute("aria-busy", "true");
    button.dataset.words = button.textContent;
    button.textContent = "Starting …";
    return button.dataset.game;
  }

  function idle() {
    document.querySelectorAll("[aria-busy=true][data-words]").forEach((button) => {
      button.removeAttribute("aria-busy");
      button.textContent = button.dataset.words;
    });
  }

  // The kibitzer

  const node = (name, textContent = "", className = "") => Object.assign(document.createElement(name), { textContent, className });

  function meter(label, percent, className) {
    const bar = node("span", "", className);
    bar.setAttribute("role", "meter");
    bar.setAttribute("aria-label", label);
    for (const [name, value] of [["now", percent], ["min", 0], ["max", 100]]) bar.setAttribute(`aria-value${name}`, value);
    const fill = node("span");
    fill.style.width = `${percent}%`;
    bar.append(fill);
    return bar;
  }

  function kibitzer(id, model, readings) {
    const area = document.getElementById(id);
    if (!area) return;
    const open = new Set([...area.querySelectorAll("details[open]")].map((each) => each.dataset.key));
    const asked = document.activeElement?.closest("details")?.dataset.key;
    area.replaceChildren(...readings.map((reading) => readingBox(reading, open)), readBy(model));
    if (asked) area.querySelector(`details[data-key="${asked}"] summary`)?.focus();
  }

  const senses = new Map(); // what labels mean; the server says so once
  function readBy(model) {
    return node("p", `Read by ${model}`, "read-by");
  }

  function readingBox([player, name, claim, sure, sureWords, meaning, spoken, against, habits, bars], open) {
    const box = node("section", "", `reading player${player % 6}`);
    for (const [what, , sense] of bars) if (sense !== null) senses.set(what, sense);
    if (name) box.append(node("h3", name));
    box.append(node("p", claim, "claim"));
    if (meaning) box.append(node("p", meaning, "meaning"));
    if (sure === null || sureWords === "") {
      if (sureWords) box.append(node("p", sureWords, "verdict"));
      return box;
    }
    const row = node("div", "", "sure");
    row.append(meter(`how sure: ${claim}`, sure, "bar"), node("span", sureWords, "verdict"));
    box.append(row);
    const told = [
      ...spoken.map((move) => ["for", `For it: ${move}`]),
      ...against.map((move) => ["against", `Against it: ${move}`]),
      ...habits.map((habit) => ["habit", `Habit: ${habit}`]),
    ];
    if (told.length) {
      const list = node("ul", "", "told");
      list.append(...told.map(([way, move]) => node("li", move, way)));
      box.append(list);
    }
    if (bars.length > 1) {
      const more = node("details", "", "guesses");
      more.dataset.key = `${player}`;
      more.open = open.has(more.dataset.key);
      more.append(node("summary", "Other guesses"), ...bars.map(([what, percent]) => {
        const line = node("div", "", "belief"), known = senses.get(what);
        line.title = known ? `${what}: ${known}` : what;
        line.append(node("span", what), meter(`${name}: ${what}`, percent, "bar"), node("span", `${percent} %`));
        return line;
      }));
      box.append(more);
    }
    return box;
  }

  function whatIf(id, rows) {
    const area = document.getElementById(id);
    if (!area) return;
    if (!rows.length) {
      area.textContent = "You can ask when it is your move.";
      return;
    }
    const list = node("ol", "", "tried");
    list.append(...rows.map(([move, change, evidence]) => {
      const row = node("li");
      row.append(node("b", move), ` ${evidence < 0.1 ? "tells it almost nothing" : change}`);
      return row;
    }));
    area.replaceChildren(node("p", "What each move would tell it, the most telling first:"), list);
  }

  function pressedOnly(id, number) {
    document.querySelectorAll(`#${id} button`).forEach((each, index) => each.setAttribute("aria-pressed", index === number));
  }

  // Belief over time: at most eight lines, which differ in colour and, beyond four, in their strokes

  const COLOURS = ["--player0", "--player1", "--player2", "--player3"];
  const STROKES = ["solid", "dashed", "dotted"], MOST = 8;
  const CHART_AFTER = 200; // milliseconds: the board comes first, because a chart takes longer to draw
  const charts = new Map();
  function lines(id, points, fresh) {
    if (fresh || !charts.has(id)) charts.set(id, { series: new Map(), waiting: false });
    const { series, waiting } = charts.get(id);
    for (const [name, ply, percent] of points) {
      if (!series.has(name)) series.set(name, { name, most: 0, data: [] });
      series.get(name).data.push([ply, percent]);
      series.get(name).most = Math.max(series.get(name).most, percent);
    }
    if (waiting) return;
    charts.get(id).waiting = true;
    setTimeout(drawn, CHART_AFTER, id);
  }

  function drawn(id) {
    const kept = charts.get(id), style = getComputedStyle(document.body);
    const colours = COLOURS.map((name) => style.getPropertyValue(name));
    kept.waiting = false;
    const likeliest = [...kept.series.values()].sort((one, other) => other.most - one.most).slice(0, MOST);
    const series = likeliest.map(({ name, data }, number) => ({
      name, data, type: "line", showSymbol: data.length < 2,
      itemStyle: { color: colours[number % colours.length] },
      lineStyle: { color: colours[number % colours.length], type: STROKES[Math.floor(number / colours.length)], width: 2 },
    }));
    const options = { series, legend: { data: series.map((each) => each.name) } };
    getElement(Number(id.slice(1)))?.chart?.setOption(options, { replaceMerge: ["series"] });
  }

  function resized() {
    for (const id of charts.keys()) getElement(Number(id.slice(1)))?.chart?.resize();
  }

  function reveal(id) {
    const debrief = document.getElementById(id)?.closest(".debrief");
    debrief?.scrollIntoView({ block: "start" });
  }

  Object.assign(kibitz, { playNow, idle, resized });
  Object.assign(kibitz.changes, { kibitzer, lines, whatIf, pressedOnly, reveal });
})();
