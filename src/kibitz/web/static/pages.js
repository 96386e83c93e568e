// What the pages around the board need: one press on a card, and a sign that something was begun.
(() => {
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

  Object.assign(kibitz, { playNow, idle });
})();
