// The pages' script: lists moves, runs clocks; board.js adds the board, pages.js the kibitzer. The server makes all decisions.
window.kibitz = (() => {
  function move(id, ply, deeds) {
    const list = document.getElementById(id);
    if (!list || list.querySelector(`[data-ply="${ply}"]`)) return;
    const row = document.createElement("li");
    row.dataset.ply = ply;
    row.value = ply;
    deeds.forEach(([player, who, words]) => {
      const deed = document.createElement("span");
      deed.className = player < 0 ? "deed quiet" : `deed player${player % 6}`;
      deed.textContent = who ? `${who}: ${words}` : words;
      row.append(deed, " ");
    });
    list.append(row);
    list.scrollTop = list.scrollHeight;
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

  const changes = { move, words, here, copy, clock };
  function all(calls) {
    for (const [name, ...given] of calls) changes[name](...given);
  }

  return { all, turn, changes };
})();
