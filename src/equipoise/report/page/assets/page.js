"use strict";
(function () {
  const byId = (id) => document.getElementById(id);
  const started = performance.now();

  // Charts: drawn when they come into view, all of them before printing.

  const specs = JSON.parse(byId("specs").textContent);
  const tip = byId("tip");

  const NARROW = 400;
  // Half of an A4 page: drawn wider, the words of a chart would be too small on paper.
  const PRINTED = 345;

  function look(width) {
    const ink = "currentColor";
    return {
      background: null,
      font: "system-ui, sans-serif",
      view: { stroke: null },
      text: { color: ink },
      axis: {
        labelColor: ink, titleColor: ink, gridColor: ink, domainColor: ink, tickColor: ink,
        gridOpacity: 0.13, domainOpacity: 0.5, tickOpacity: 0.5, titleFontWeight: "normal",
        labelLimit: width < 480 ? 185 : 230, titleLimit: width,
      },
      // A long title ends where the plot does: on a phone it would else stick out to the right.
      axisX: { tickCount: Math.max(3, Math.floor(width / 90)), labelOverlap: true,
        ...(width < 480 ? { titleAnchor: "end" } : {}) },
      legend: { labelColor: ink, titleColor: ink, titleFontWeight: "normal", titleLimit: width, labelLimit: width - 60,
        columns: width < NARROW ? 1 : undefined },
    };
  }

  function tell(_handler, event, _item, value) {
    if (value === null || value === undefined || value === "") { tip.hidden = true; return; }
    tip.textContent = typeof value === "object"
      ? Object.entries(value).map(([name, cell]) => `${name}: ${cell}`).join("\n") : String(value);
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(0, Math.min(event.clientY + 12, innerHeight - tip.offsetHeight - 8))}px`;
  }

  // On a phone names stand below each other, and a long title has several lines, or they would stick out.
  function oneColumn(spec) {
    return JSON.parse(JSON.stringify(spec), (name, value) => {
      if (name === "legend" && value && value.columns) return { ...value, columns: 1 };
      return name === "title" && typeof value === "string" && value.length > 34 ? value.split(" \u00b7 ") : value;
    });
  }

  // Small panels are as wide as there is room for one, two or three in a row.
  function inPanels(spec, width) {
    if (!spec.facet) return { ...spec, width };
    const columns = width < NARROW ? 1 : width < 700 ? 2 : 3;
    return { ...spec, columns, spec: { ...spec.spec, width: Math.floor(width / columns) - 70 } };
  }

  function draw(figure, wanted) {
    const place = figure.querySelector(".plot");
    const width = wanted || Math.floor(place.clientWidth);
    if (!width || figure.dataset.width === String(width)) return;
    figure.dataset.width = String(width);
    if (figure.drawn) figure.drawn.then((drawing) => drawing.finalize());
    const fresh = element("div");
    place.replaceChildren(fresh);
    const spec = inPanels(specs[figure.dataset.chart], width);
    figure.drawn = vegaEmbed(fresh, width < NARROW ? oneColumn(spec) : spec, {
      mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip: tell, config: look(width),
    });
    figure.drawn.then(() => {
      place.style.minHeight = "0";
      if (target) target.scrollIntoView();
    });
  }

  // Charts above a part that a reader went to may change its place: the reader stays there until they move on.

  let target = null;

  function goTo(hash) {
    target = hash.length > 1 ? byId(decodeURIComponent(hash.slice(1))) : null;
    setTimeout(() => { target = null; }, 3000);
  }

  for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(kind, () => { target = null; }, { passive: true });
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) goTo(link.getAttribute("href"));
  });
  goTo(location.hash);

  const figures = [...document.querySelectorAll("figure[data-chart]")];
  const watch = new IntersectionObserver((seen) => {
    for (const one of seen) if (one.isIntersecting) { watch.unobserve(one.target); draw(one.target); }
  }, { rootMargin: "300px" });
  figures.forEach((figure) => watch.observe(figure));

  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => figures.filter((figure) => figure.drawn).forEach((figure) => draw(figure)), 150);
  });
  addEventListener("beforeprint", () => {
    document.querySelectorAll(".read details, .said-more").forEach((details) => { details.open = true; });
    figures.forEach((figure) => draw(figure, PRINTED));
  });
  addEventListener("afterprint", () => figures.forEach((figure) => draw(figure)));

  // Items: every one of them, a page at a time.

  const PAGE = 25;
  const controls = byId("controls");
  if (!controls) {
    document.documentElement.dataset.ready = String(performance.now() - started);
    return;
  }
  const pick = { measurement: byId("measurement"), search: byId("search"), filter: byId("filter"), order: byId("order"), model: byId("model") };
  const state = { data: [], part: null, shown: [], page: 0 };

  async function unpacked() {
    const letters = atob(byId("packed").textContent.trim());
    const bytes = new Uint8Array(letters.length);
    for (let place = 0; place < letters.length; place++) bytes[place] = letters.charCodeAt(place);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function option(value, text) {
    const made = element("option", text);
    made.value = value;
    return made;
  }

  function level(coded, place) { return coded.levels[coded.codes[place]]; }

  function choose(number) {
    const part = state.data[number];
    state.part = part;
    if (!part.haystack) {
      const texts = Object.values(part.texts), groups = Object.values(part.groups);
      part.haystack = part.items.map((item, place) =>
        [item, ...texts.map((column) => column[place]), ...groups.map((coded) => level(coded, place))].join("\n").toLowerCase());
      part.orders = {};
    }
    const all = [option("driving", "sentences behind the headline"), option("every", "every sentence"), option("dropped", "skipped sentences")];
    for (const [name, coded] of Object.entries(part.groups)) {
      const group = element("optgroup");
      group.label = name;
      coded.levels.forEach((text, code) => { if (text !== "") group.append(option(`${name}\n${code}`, text)); });
      all.push(group);
    }
    pick.filter.replaceChildren(...all);
    pick.model.replaceChildren(...part.models.map((name, place) => option(String(place), name)));
    pick.model.parentElement.hidden = part.models.length < 2;
    pick.order.querySelector("[value=apart]").hidden = part.models.length < 2;
    if (part.models.length < 2 && pick.order.value === "apart") pick.order.value = "strongest";
    head(part);
    list();
  }

  function ordered(part, kind, model) {
    const known = `${kind} ${model}`;
    if (part.orders[known]) return part.orders[known];
    const scores = part.scores[model], places = part.items.map((_, place) => place);
    const rank = {
      strongest: (place) => scores[place] === null ? -1 : Math.abs(scores[place]),
      highest: (place) => scores[place] === null ? -Infinity : scores[place],
      lowest: (place) => scores[place] === null ? -Infinity : -scores[place],
      apart: (place) => {
        const numbers = part.scores.map((column) => column[place]).filter((number) => number !== null);
        return numbers.length < 2 ? -1 : Math.max(...numbers) - Math.min(...numbers);
      },
    }[kind];
    if (rank) {
      const keys = places.map(rank);
      places.sort((one, other) => keys[other] - keys[one] || one - other);
    }
    part.orders[known] = places;
    return places;
  }

  function passes(part) {
    const kind = pick.filter.value;
    if (kind === "every") return () => true;
    if (kind === "driving") return (place) => part.driving[place] === 1;
    if (kind === "dropped") return (place) => level(part.dropped, place) !== "";
    const [name, code] = kind.split("\n");
    const codes = part.groups[name].codes, wanted = Number(code);
    return (place) => codes[place] === wanted;
  }

  function list() {
    const begun = performance.now(), part = state.part;
    const words = pick.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = passes(part), haystack = part.haystack;
    state.shown = ordered(part, pick.order.value, Number(pick.model.value)).filter(
      (place) => fits(place) && words.every((word) => haystack[place].includes(word)));
    state.page = 0;
    paint();
    byId("count").textContent = `${state.shown.length.toLocaleString("en")} of ${part.items.length.toLocaleString("en")} sentences`;
    byId("count").dataset.of = part.title;
    byId("count").dataset.milliseconds = String(performance.now() - begun);
  }

  function head(part) {
    const row = element("tr");
    const shares = part.shares.poles ? ["expected word"] : [];
    for (const name of [...(part.models.length > 1 ? part.models : ["score"]), ...shares, "sentence"]) {
      const cell = element("th", name);
      cell.scope = "col";
      row.append(cell);
    }
    byId("list").tHead.replaceChildren(row);
  }

  function paint() {
    const part = state.part, start = state.page * PAGE;
    const some = state.shown.slice(start, start + PAGE);
    byId("list").tBodies[0].replaceChildren(...some.map((place) => itemRow(part, place)));
    const pages = Math.max(1, Math.ceil(state.shown.length / PAGE));
    byId("place").textContent = `page ${state.page + 1} of ${pages}`;
    byId("back").disabled = state.page === 0;
    byId("on").disabled = state.page + 1 >= pages;
  }

  // A number that rounds to zero has no minus sign.
  function rounded(value, digits) { return value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1"); }

  // As everywhere on the page: a small number has two digits, a tiny one an exponent.
  function number(value) {
    if (value === null) return "-";
    const size = Math.abs(value);
    if (size === 0 || size >= 0.01) return rounded(value, size >= 10 ? 1 : 3);
    return size >= 0.001 ? String(Number(value.toPrecision(2))) : value.toExponential(1).replace(/e-(\d)$/, "e-0$1");
  }

  function itemRow(part, place) {
    const row = element("tr");
    part.scores.forEach((column, which) => {
      const score = element("td", number(column[place]), "n");
      score.dataset.of = part.models.length > 1 ? part.models[which] : "score";
      row.append(score);
    });
    if (part.shares.poles) row.append(expected(part, place));
    const cell = element("td", undefined, "text"), details = element("details"), summary = element("summary");
    const texts = Object.entries(part.texts);
    texts.forEach(([, column], which) => {
      if (which) summary.append(element("br"));
      summary.append(element("bdi", column[place].replaceAll("[MASK]", "____")));
    });
    if (!texts.length) summary.append(element("bdi", part.items[place]));
    details.append(summary);
    details.addEventListener("toggle", () => {
      if (details.open && details.childElementCount === 1) details.append(...more(part, place));
    });
    cell.append(details);
    row.append(cell);
    return row;
  }

  // P(he), P(she) and P(they) of one item as bars, of the model that was chosen.

  const TONES = { male: "men", female: "women" };

  function expected(part, place) {
    const cell = element("td", undefined, "shares"), list = element("dl");
    const words = part.shares.words[part.shares.forms[place]], numbers = part.shares.numbers[Number(pick.model.value) || 0];
    part.shares.poles.forEach((pole, which) => {
      const share = numbers[which][place];
      if (share === null) return;
      const bar = element("div", undefined, `bar ${TONES[pole] || "plain"}`), value = element("dd"), ink = element("i");
      ink.style.width = `${(100 * Math.min(1, share)).toFixed(2)}%`;
      value.append(ink, element("b", percent(share)));
      bar.append(element("dt", words[which]), value);
      list.append(bar);
    });
    cell.append(list);
    return cell;
  }

  function percent(share) {
    if (share > 0 && share < 0.001) return "< 0.1 %";
    return `${(100 * share).toFixed(share < 0.02 || share > 0.98 ? 1 : 0)} %`;
  }

  function more(part, place) {
    const made = [];
    const sides = Object.keys(part.tokens).filter((name) => part.tokens[name][place]);
    if (sides.length === 2) made.push(...coloured(part, place, sides));
    const told = [`item: ${part.items[place]}`];
    for (const [name, coded] of Object.entries(part.groups)) {
      if (level(coded, place) !== "") told.push(`${name}: ${level(coded, place)}`);
    }
    for (const [name, columns] of Object.entries(part.told)) {
      told.push(`${name.replaceAll("_", " ")}: ${columns.map((column) => column[place]).join(" | ")}`);
    }
    if (level(part.dropped, place) !== "") told.push(`dropped: ${level(part.dropped, place)}`);
    made.push(element("p", told.join(" · "), "more"));
    return made;
  }

  // What each token adds to the score: shared tokens by their difference, changed words as a block.

  function blocks(one, other) {
    const rows = one.length, columns = other.length;
    const longest = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
    for (let a = rows - 1; a >= 0; a--) for (let b = columns - 1; b >= 0; b--) {
      longest[a][b] = one[a] === other[b] ? longest[a + 1][b + 1] + 1 : Math.max(longest[a + 1][b], longest[a][b + 1]);
    }
    const made = [];
    let a = 0, b = 0;
    while (a < rows || b < columns) {
      if (a < rows && b < columns && one[a] === other[b]) { made.push([[a++], [b++]]); continue; }
      const block = [[], []];
      while ((a < rows || b < columns) && !(a < rows && b < columns && one[a] === other[b])) {
        if (b >= columns || (a < rows && longest[a + 1][b] >= longest[a][b + 1])) block[0].push(a++);
        else block[1].push(b++);
      }
      made.push(block);
    }
    return made;
  }

  function coloured(part, place, sides) {
    const texts = sides.map((name) => part.texts[name][place]), tokens = sides.map((name) => part.tokens[name][place]);
    const words = tokens.map((list, side) => list.map(([start, end]) => texts[side].slice(start, end)));
    const adds = tokens.map((list) => new Array(list.length).fill(0));
    let largest = 0;
    for (const block of blocks(words[0], words[1])) {
      const sums = block.map((list, side) => list.reduce((sum, token) => sum + (tokens[side][token][2] ?? 0), 0));
      const difference = sums[0] - sums[1];
      largest = Math.max(largest, Math.abs(difference));
      block.forEach((list, side) => list.forEach((token) => { adds[side][token] = difference; }));
    }
    const lines = sides.map((name, side) => line(name, texts[side], tokens[side], adds[side], largest));
    const legend = "Colour: what a word adds to the score. Solid underline: towards the first sentence; dotted: towards the second. "
      + "Words that only one of the two has count together" + (part.models.length > 1 ? `. Tokens of ${part.models[0]}.` : ".");
    return [...lines, element("p", legend, "more")];
  }

  function line(name, text, tokens, adds, largest) {
    const made = element("p", undefined, "tokens"), label = element("small", `${name}: `);
    made.append(label);
    let at = 0;
    tokens.forEach(([start, end, value], place) => {
      if (start > at) made.append(text.slice(at, start));
      const share = largest ? Math.abs(adds[place]) / largest : 0;
      const word = element("span", text.slice(start, end), share < 0.02 ? "" : adds[place] > 0 ? "above" : "below");
      word.style.setProperty("--much", (0.08 + 0.5 * share).toFixed(2));
      word.title = `adds ${rounded(adds[place], 3)}; ln P ${value === null ? "not counted" : rounded(value, 3)}`;
      made.append(word);
      at = Math.max(at, end);
    });
    made.append(text.slice(at));
    return made;
  }

  function turn(step) {
    state.page += step;
    paint();
    byId("count").scrollIntoView({ block: "nearest" });
  }

  unpacked().then((data) => {
    state.data = data;
    pick.measurement.replaceChildren(...data.map((part, place) => option(String(place), part.title)));
    controls.addEventListener("submit", (event) => event.preventDefault());
    pick.measurement.addEventListener("change", () => choose(Number(pick.measurement.value)));
    pick.search.addEventListener("input", list);
    for (const name of ["filter", "order", "model"]) pick[name].addEventListener("change", list);
    byId("back").addEventListener("click", () => turn(-1));
    byId("on").addEventListener("click", () => turn(1));
    choose(0);
    document.documentElement.dataset.ready = String(performance.now() - started);
  }).catch((error) => { byId("count").textContent = `The items cannot be read: ${error.message}`; });
})();
