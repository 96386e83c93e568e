// The board of a page: patches its picture, offers shapes, buttons and trays, moves the focus, zooms, lists places.
(() => {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const picture = (id) => document.querySelector(`#${id} svg`);
  const part = (svg, id) => svg.querySelector(`[id="${CSS.escape(id)}"]`);
  const made = (name, textContent, className = "") => Object.assign(document.createElement(name), { textContent, className });
  let last = null; // what was pressed last: where the focus goes on if that is gone

  // The picture

  const arts = new Map(); // the paths of figures by the name of their art; they are sent once
  function learn(figure) {
    if (figure.querySelector("path")) arts.set(figure.dataset.art, [...figure.querySelectorAll("path")].map((path) => path.cloneNode()));
    else figure.append(...(arts.get(figure.dataset.art) ?? []).map((path) => path.cloneNode()));
  }

  function painted(markup) {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    group.innerHTML = markup;
    if (group.firstChild.dataset.art) learn(group.firstChild);
    return group.firstChild;
  }

  function changed(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") {
        const words = [...element.childNodes].find((node) => node.nodeType === Node.TEXT_NODE);
        if (words) words.data = value;
        else element.append(value);
      } else if (name === "title") {
        let title = element.querySelector("title");
        if (!title) element.prepend((title = document.createElementNS(element.namespaceURI, "title")));
        title.textContent = value;
      } else if (value === "") element.removeAttribute(name);
      else element.setAttribute(name, value);
    }
  }

  function patch(id, patches) {
    const svg = picture(id);
    if (!svg) return;
    svg.querySelectorAll("[data-art]").forEach(learn);
    const gone = [], came = [];
    for (const { id: shape, svg: markup, after, attributes } of patches) {
      const old = part(svg, shape);
      if (markup) {
        const before = after ? part(svg, after) : null;
        const fresh = painted(markup);
        if (old) old.remove();
        if (before) before.after(fresh);
        else svg.querySelector("defs").after(fresh);
        if (fresh.dataset.art) came.push(fresh);
      } else if (attributes && old) {
        if (attributes.transform && old.dataset.art) slide(old, old.getAttribute("transform"), attributes.transform);
        changed(old, attributes);
      } else if (old) {
        if (old.dataset.art) gone.push(old);
        old.remove();
      }
    }
    came.forEach((fresh) => enter(fresh, gone));
    document.documentElement.dataset.shown = (Number(document.documentElement.dataset.shown) || 0) + 1;
    list(svg);
  }

  // A figure that comes where one like it has gone slides from there.
  function enter(fresh, gone) {
    const place = fresh.getAttribute("transform");
    const from = gone.findIndex((old) => old.dataset.art === fresh.dataset.art && old.getAttribute("fill") === fresh.getAttribute("fill"));
    if (from >= 0) slide(fresh, gone.splice(from, 1)[0].getAttribute("transform"), place);
  }

  const style = (transform) => transform.replace(/translate\(([-\d.e]+) ([-\d.e]+)\)/, "translate($1px, $2px)");

  function slide(element, from, to) {
    if (!calm.matches && from !== to) element.animate([{ transform: style(from) }, { transform: style(to) }], { duration: 180, easing: "ease-out" });
  }

  function resize(id, width, height) {
    const svg = picture(id);
    if (!svg) return;
    const scale = svg.width.baseVal.value / svg.viewBox.baseVal.width;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    fit(svg);
  }

  function fitted(id) {
    const svg = picture(id);
    if (svg) fit(svg);
  }

  function fit(svg) {
    svg.style.setProperty("--cells", svg.viewBox.baseVal.width);
    svg.setAttribute("role", "group");
    const board = svg.closest(".board");
    if (!board) return;
    const width = svg.viewBox.baseVal.width, huge = width > 60;
    board.toggleAttribute("data-large", width > 20);
    board.closest(".table")?.toggleAttribute("data-huge", huge);
    if (huge && board.dataset.zoom === undefined && innerWidth < 900) zoom(board, 2);
  }

  // What can be pressed

  function offer(id, shapes, chosen, previews) {
    const svg = picture(id);
    if (!svg) return;
    const held = svg.contains(document.activeElement) || (last !== null && document.activeElement === document.body);
    fit(svg);
    svg.querySelectorAll(".hint, .odds").forEach((element) => element.remove());
    svg.querySelectorAll("[data-press]").forEach((element) => {
      for (const name of ["data-press", "tabindex", "role", "aria-label", "aria-pressed", "data-preview"]) element.removeAttribute(name);
    });
    for (const shape of shapes) {
      const element = part(svg, shape);
      if (!element) continue;
      const [words, mark, good] = previews?.[shape] ?? ["", "", null];
      const name = element.querySelector("title")?.textContent || shape;
      element.setAttribute("data-press", shape === chosen ? "chosen" : "");
      element.setAttribute("tabindex", "0");
      element.setAttribute("role", "button");
      element.setAttribute("aria-label", words ? `${name}. ${words}` : name);
      element.setAttribute("aria-pressed", String(shape === chosen));
      if (words) element.setAttribute("data-preview", words);
      dot(svg, element, mark, good);
    }
    if (held && last !== null) refocus(svg, shapes);
    list(svg);
  }

  // A dot on squares that can be pressed, and the mark of a preview.
  function dot(svg, element, mark, good) {
    const { x, y, width, height } = element.getBBox();
    const over = (name, look, text = "") => {
      const shape = document.createElementNS(svg.namespaceURI, name);
      for (const [key, value] of Object.entries(look)) shape.setAttribute(key, value);
      shape.textContent = text;
      svg.append(shape);
    };
    if (element.tagName === "rect" && element.dataset.press !== "chosen")
      over("circle", { class: "hint", cx: x + width / 2, cy: y + height / 2, r: Math.min(width, height) * 0.16 });
    if (!mark) return;
    const size = Math.max(0.36, svg.viewBox.baseVal.width / 48);
    over("text", { class: good ? "odds good" : "odds", x: x + width / 2, y: y + height - size * 0.2, "font-size": size, "text-anchor": "middle" }, mark);
  }

  // The focus stays on the board: on what was pressed, or on the nearest thing that can be pressed now.
  function refocus(svg, shapes) {
    const same = part(svg, last.id);
    const near = same?.hasAttribute("data-press") ? same : closest(svg, last);
    if (near) near.focus({ preventScroll: true });
    else if (!shapes.length) {
      svg.setAttribute("tabindex", "-1");
      svg.focus({ preventScroll: true });
    }
  }

  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };

  function closest(svg, place, fits = () => true) {
    let found = null, least = Infinity;
    for (const element of svg.querySelectorAll("[data-press]")) {
      const { x, y } = middle(element), far = Math.hypot(x - place.x, y - place.y);
      if (far < least && element !== place.element && fits(x - place.x, y - place.y)) [found, least] = [element, far];
    }
    return found;
  }

  const WAYS = {
    ArrowLeft: (x, y) => x < -2 && Math.abs(y) <= -x * 1.2, ArrowRight: (x, y) => x > 2 && Math.abs(y) <= x * 1.2,
    ArrowUp: (x, y) => y < -2 && Math.abs(x) <= -y * 1.2, ArrowDown: (x, y) => y > 2 && Math.abs(x) <= y * 1.2,
  };

  function pressed(event) {
    const element = event.target.closest("[data-press]");
    if (!element) return null;
    if (event.type === "keydown") {
      if (event.key in WAYS) {
        event.preventDefault();
        closest(element.ownerSVGElement, { ...middle(element), element }, WAYS[event.key])?.focus();
        return null;
      }
      if (event.key !== "Enter" && event.key !== " ") return null;
      event.preventDefault();
    }
    last = { id: element.id, ...middle(element) };
    element.setAttribute("data-press", "chosen"); // seen at once; what it means the server says
    return element.id;
  }

  // A drag with a mouse or a pen from one shape to another
  let grip = null;
  addEventListener("pointerdown", (event) => {
    const element = event.pointerType === "touch" ? null : event.target.closest?.(".picture [data-press]");
    grip = element && { id: element.id, svg: element.ownerSVGElement, element, line: null };
  });
  addEventListener("pointermove", (event) => {
    if (!grip || event.buttons !== 1 || (!grip.line && grip.element.contains(event.target))) return;
    const turned = grip.svg.getScreenCTM().inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(turned);
    if (!grip.line) {
      const { x, y } = middle(grip.element), from = new DOMPoint(x, y).matrixTransform(turned);
      grip.line = document.createElementNS(grip.svg.namespaceURI, "line");
      for (const [name, value] of Object.entries({ class: "drag", x1: from.x, y1: from.y })) grip.line.setAttribute(name, value);
      grip.svg.append(grip.line);
    }
    grip.line.setAttribute("x2", at.x);
    grip.line.setAttribute("y2", at.y);
  });
  addEventListener("pointerup", () => setTimeout(() => {
    grip?.line?.remove();
    grip = null;
  }));

  function dropped(event) {
    if (!grip?.line) return null;
    const under = document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.id && grip.svg.contains(each) && each !== grip.svg && each !== grip.element && !each.matches(".drag, .hint, .odds"));
    if (!under) return null;
    last = { id: under.id, ...middle(under) };
    return [grip.id, under.id];
  }

  // What a choice would bring, while it is pointed at
  for (const kind of ["pointerover", "focusin"])
    addEventListener(kind, (event) => {
      const words = event.target.closest?.("[data-preview]")?.dataset.preview;
      const line = document.querySelector(".preview");
      if (words && line && line.textContent !== words) line.textContent = words;
    });

  // Buttons, amounts and trays

  function choices(id, offered) {
    const box = document.getElementById(id), held = box?.contains(document.activeElement);
    box?.replaceChildren(
      ...offered.map(([action, words, meaning, good]) => {
        const button = made("button", "", "choice");
        button.type = "button";
        button.dataset.action = action;
        button.append(made("span", words));
        if (meaning) button.append(made("small", meaning, good ? "good" : ""));
        return button;
      }),
    );
    if (held) box.querySelector("button")?.focus({ preventScroll: true });
  }

  const chosen = (event) => event.target.closest("[data-action]")?.dataset.action ?? null;

  function amount(id, least, most, words) {
    const form = made("form", "", "amount"), number = made("input"), range = made("input"), label = made("label", words);
    form.onsubmit = (event) => event.preventDefault();
    for (const [input, type] of [[number, "number"], [range, "range"]]) Object.assign(input, { type, min: least, max: most, value: most });
    number.setAttribute("aria-label", words);
    range.setAttribute("aria-label", `${words}, slider`);
    range.oninput = () => (number.value = range.value);
    number.oninput = () => (range.value = number.value);
    const [done, back] = [["OK", "amount"], ["Cancel", "cancel"]].map(([text, tap]) => {
      const button = made("button", text, tap === "amount" ? "act main" : "act");
      Object.assign(button, { type: tap === "amount" ? "submit" : "button" });
      button.dataset.tap = tap;
      return button;
    });
    form.append(label, number, range, done, back);
    document.getElementById(id).replaceChildren(form);
    number.focus({ preventScroll: true });
    number.select();
  }

  // The ink that can be read on a colour: by its luminance, as WCAG defines it
  function inkOn(fill) {
    const parts = fill.match(/^#(..)(..)(..)$/)?.slice(1).map((part) => parseInt(part, 16) / 255);
    if (!parts) return "";
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.19 ? "#1d1d1d" : "#ffffff";
  }

  function trays(id, drawn, done, ready, words, good) {
    const box = document.getElementById(id), held = box.contains(document.activeElement) && document.activeElement.dataset.tap;
    const chip = ([factor, fill, letter, name], tap, count, label) => {
      const button = made("button", letter, "tray-chip");
      button.type = "button";
      button.dataset.tap = tap + factor;
      button.style.background = fill;
      button.style.color = inkOn(fill);
      button.disabled = !count;
      button.setAttribute("aria-label", label);
      if (tap === "+") button.append(made("sub", `×${count}`));
      return button;
    };
    const parts = drawn.map(([title, chips]) => {
      const tray = made("fieldset", "", "tray");
      const pool = made("div", "", "pool"), put = made("div", "", "put");
      for (const each of chips) {
        const [, , , name, count, left] = each;
        if (count + left) pool.append(chip(each, "+", left, `${title}: add ${name}, ${left} left`));
        for (let number = 0; number < count; number++) put.append(chip(each, "-", 1, `${title}: take back ${name}`));
      }
      if (!put.children.length) put.append(made("span", "nothing yet: tap chips", "quiet"));
      tray.append(made("legend", title), pool, put);
      return tray;
    });
    const button = made("button", done, "act main");
    button.type = "button";
    button.dataset.tap = "done";
    button.disabled = !ready;
    const verdict = made("p", words, good ? "verdict-line good" : "verdict-line");
    verdict.setAttribute("role", "status");
    box.replaceChildren(...parts, verdict, button);
    if (held) {
      const same = box.querySelector(`[data-tap="${CSS.escape(held)}"]:not(:disabled)`) ?? box.querySelector("[data-tap]:not(:disabled)");
      same?.focus({ preventScroll: true });
    }
  }

  function empty(id) {
    document.getElementById(id)?.replaceChildren();
  }

  function tapped(event) {
    const tap = event.target.closest("[data-tap]:not(:disabled)")?.dataset.tap;
    return tap === "amount" ? `=${event.target.closest("form").querySelector("input").value}` : tap ?? null;
  }

  // Zoom and the list of places

  const ZOOMS = [1, 1.6, 2.4, 3.6];
  addEventListener("click", (event) => {
    const tool = event.target.closest?.("[data-tool]");
    if (!tool) return;
    const board = tool.closest(".board"), svg = board.querySelector("svg");
    if (tool.dataset.tool === "list") {
      board.toggleAttribute("data-list");
      tool.setAttribute("aria-pressed", String(board.hasAttribute("data-list")));
      if (svg) list(svg);
      return;
    }
    const step = tool.dataset.tool === "in" ? 1 : -1, now = Number(board.dataset.zoom ?? 0);
    zoom(board, Math.min(ZOOMS.length - 1, Math.max(0, now + step)));
  });

  // Larger or smaller, around the same place: what can be pressed, or the middle
  function zoom(board, to) {
    const area = board.querySelector(".picture"), first = area.querySelector("[data-press]");
    const x = (area.scrollLeft + area.clientWidth / 2) / area.scrollWidth, y = (area.scrollTop + area.clientHeight / 2) / area.scrollHeight;
    const fresh = board.dataset.zoom === undefined || board.dataset.zoom === "0";
    board.dataset.zoom = to;
    board.style.setProperty("--zoom", ZOOMS[to]);
    if (fresh && first) {
      const spot = middle(first), box = area.getBoundingClientRect();
      area.scrollBy(spot.x - box.x - box.width / 2, spot.y - box.y - box.height / 2);
    } else area.scrollTo(x * area.scrollWidth - area.clientWidth / 2, y * area.scrollHeight - area.clientHeight / 2);
  }

  function list(svg) {
    const board = svg.closest(".board"), box = board?.querySelector(".places");
    if (!box || !board.hasAttribute("data-list")) return;
    const groups = new Map();
    for (const element of svg.querySelectorAll("[data-group]")) {
      const rows = groups.get(element.dataset.group) ?? [];
      groups.set(element.dataset.group, [...rows, element]);
    }
    const open = [...svg.querySelectorAll("[data-group][data-press]")];
    const sections = open.length ? [["You can choose", open], ...groups] : [...groups];
    box.replaceChildren(...sections.map(([name, elements]) => {
      const group = made("section");
      group.append(made("h3", name), ...elements.map((element) => row(element)));
      return group;
    }));
  }

  function row(element) {
    const words = element.querySelector("title")?.textContent ?? element.id, open = element.hasAttribute("data-press");
    const line = made(open ? "button" : "div", words, "place");
    line.style.borderLeftColor = getComputedStyle(element).fill;
    if (!open) return line;
    line.type = "button";
    if (element.dataset.preview) line.append(made("small", element.dataset.preview));
    line.toggleAttribute("data-chosen", element.dataset.press === "chosen");
    line.onclick = () => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return line;
  }

  Object.assign(window.kibitz.changes, { patch, resize, fitted, offer, choices, amount, trays, empty });
  Object.assign(window.kibitz, { pressed, dropped, chosen, tapped });
})();
