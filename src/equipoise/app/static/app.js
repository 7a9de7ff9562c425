"use strict";
// Every text from a model, a file or a result goes through textContent: nothing of it is ever read as HTML.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

function make(tag, content = "", attributes = {}) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const part of Array.isArray(content) ? content : [content]) element.append(part);
  return element;
}

async function ask(question, payload = {}) {
  let response;
  try {
    response = await fetch(`/api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(payload),
    });
  } catch {
    throw new Error("The app does not answer.\nStart it again: equipoise app");
  }
  const content = await response.json();
  if (!response.ok) throw new Error([content.message, content.hint].filter(Boolean).join("\n"));
  return content;
}

function tell(error) {
  const place = $("#trouble");
  place.hidden = !error;
  place.textContent = error ? error.message : "";
  if (error) place.scrollIntoView({ block: "nearest" });
}

// A form asks once at a time; its button says that it is at work.
function onSubmit(form, work) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = $("button:not([type])", form);
    const place = form.nextElementSibling;
    button.disabled = true;
    tell(null);
    // An answer of before must not pass for the one to come.
    if (place?.classList.contains("answer")) working(place);
    try {
      await work();
      bringIntoView(place);
    } catch (error) {
      if (place?.classList.contains("answer")) place.replaceChildren();
      tell(error);
    } finally {
      place?.removeAttribute("aria-busy");
      button.disabled = false;
    }
  });
}

function working(place) {
  place.setAttribute("aria-busy", "true");
  place.replaceChildren(make("p", "Working …", { class: "working" }));
}

const several = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// On a narrow page the answer stands below the form, where nobody would see it come.
function bringIntoView(place) {
  if (place && place.childElementCount && place.getBoundingClientRect().top > innerHeight * 0.6) place.scrollIntoView({ block: "start" });
}

// A probability as people say it.
function percent(value) {
  const shown = 100 * value;
  return shown >= 10 ? `${shown.toFixed(0)} %` : shown >= 0.1 ? `${shown.toFixed(1)} %` : value > 0 ? "< 0.1 %" : "0 %";
}

const number = (value, digits = 3) => {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return String(value);
  // As on the page and in the terminal: a small number has two digits, a tiny one an exponent.
  const size = Math.abs(value);
  if (size >= 0.01) return value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
  return size >= 0.001 ? String(Number(value.toPrecision(2))) : value.toExponential(1).replace(/e-(\d)$/, "e-0$1");
};

function table(caption, columns, rows) {
  const head = make("tr", columns.map(([title, , isNumber]) => make("th", title, { scope: "col", class: isNumber ? "number" : "" })));
  const body = rows.map((row) =>
    make("tr", columns.map(([, read, isNumber]) => {
      const value = read(row);
      return make("td", value instanceof Node ? value : number(value), { class: isNumber ? "number" : "" });
    })),
  );
  const made = make("table", [make("caption", caption), make("thead", head), make("tbody", body)]);
  return make("div", made, { class: "scroll" });
}

function share(value) {
  const bar = make("meter", "", { min: 0, max: 1, "aria-label": `${(100 * value).toFixed(1)} percent` });
  bar.value = value;
  return bar;
}

// ---- choosing models

function chosenModels(section) {
  const ticked = $$('fieldset.models input[type="checkbox"]:checked', section).map((box) => box.value);
  const typed = $('fieldset.models input[type="text"]', section).value.split(",").map((name) => name.trim());
  return [...ticked, ...typed.filter(Boolean)];
}

const labels = {};
const named = (text) => Object.keys(labels).find((name) => labels[name] === text.trim()) ?? text.trim();
const labelOf = (name) => labels[name] ?? name;

function offerModels(models) {
  for (const { name, label } of models) labels[name] = label;
  for (const fieldset of $$("fieldset.models")) {
    models.forEach(({ name, label }, place) => {
      const box = make("input", "", { type: "checkbox", value: name });
      box.checked = place === 0;
      fieldset.append(make("label", [box, label]));
    });
    const label = make("label", "Folders of other models, with commas between them", { class: "alone" });
    const field = make("input", "", { type: "text", autocomplete: "off", spellcheck: "false" });
    field.id = `${fieldset.closest("section").id}-folders`;
    label.htmlFor = field.id;
    fieldset.append(label, field);
  }
  for (const field of $$("input.one-model")) field.value = models[0].label;
  models.forEach(({ label }) => $("#model-names").append(make("option", "", { value: label })));
}

// ---- asking directly

function showProbe(content) {
  $("#probe .answer").replaceChildren(...content.answers.map((one) => {
    const value = (row) => row.probability ?? row.share;
    const name = one.words.some((row) => row.share !== undefined) ? "share" : "probability";
    const shown = (row) => percent(value(row));
    const columns = [["word", (row) => row.word], [name, shown, true], ["", (row) => share(value(row))]];
    if (one.words.some((row) => row.pole)) columns.unshift(["pole", (row) => row.pole]);
    const likeliest = [["word", (row) => row.word], [name, shown, true], ["", (row) => share(value(row))]];
    return make("article", [
      make("h2", labelOf(one.model)),
      ...(one.sentence ? [make("p", one.sentence)] : []),
      table(content.text, columns, one.words),
      ...(one.likeliest.length ? [table("The likeliest words", likeliest, one.likeliest)] : []),
      ...one.notes.map((note) => make("p", note, { class: "note" })),
    ]);
  }));
}

function tokensOf(sentence, others) {
  const words = new Set(others.tokens.map((token) => token.token));
  return make("p", sentence.tokens.flatMap((token) => [
    make("span", [token.token, " ", make("small", number(token.value, 2))],
      { class: words.has(token.token) ? "" : "differs" }),
    " ",
  ]), { class: "tokens" });
}

function times(logarithm) {
  const ratio = Math.exp(logarithm);
  if (ratio > 1e6) return "more than a million times";
  return `${Number(ratio.toPrecision(2)).toLocaleString("en")} times`;
}

function showSentences(content) {
  $("#sentences .answer").replaceChildren(...content.answers.map((one) => {
    const [first, second] = one.sentences;
    const parts = [make("h2", labelOf(one.model))];
    if (second) {
      const difference = first.logprob - second.logprob;
      const odds = times(Math.abs(difference));
      parts.push(make("p", difference === 0 ? "Both are equally likely." : `The ${difference > 0 ? "first" : "second"} sentence is ${odds} likelier.`));
    }
    for (const [sentence, other] of [[first, second ?? first], ...(second ? [[second, first]] : [])]) {
      parts.push(make("p", [sentence.text, ` (log-probability ${number(sentence.logprob, 1)})`]), tokensOf(sentence, other));
    }
    return make("article", parts);
  }));
}

// ---- measuring

function showFindings(said) {
  return make("article", [make("h2", said.headline), ...said.sentences.map((text) => make("p", text))], { class: "finding" });
}

const good = (row) => (row.better === "neutral" ? `${row.neutral} is neutral` : row.better === "none" ? "" : `${row.better} is better`);
const bounds = (row) => (row.low === null ? "too few to tell" : `${number(row.low)} to ${number(row.high)}`);

function showResult(one, folder) {
  const columns = [
    ["estimate", (row) => (row.by ? `${row.name} (${row.by}: ${row.level})` : row.name)],
    ["value", (row) => row.value, true],
    ["95 % interval", bounds, true],
    ["n", (row) => row.n, true],
    ["good", good],
  ];
  const items = make("a", "Every item (CSV)", {
    href: `/items?folder=${encodeURIComponent(folder)}&instrument=${encodeURIComponent(one.instrument)}`,
  });
  return make("article", [
    make("h2", `${one.instrument} of ${labelOf(one.model)}`),
    table(one.title, columns, one.headlines),
    make("details", [make("summary", "In words"), ...one.sentences.map((text) => make("p", text)),
      ...one.notices.map((text) => make("p", `Note: ${text}`, { class: "note" }))]),
    make("p", items),
  ]);
}

function showMeasured(answer) {
  const left = Object.entries(answer.left_out ?? {}).map(([name, reason]) => make("p", `Left out: ${name}. ${reason}`, { class: "note" }));
  return [
    ...answer.findings.map(showFindings),
    make("p", pageLinks([answer.folder])),
    ...answer.results.map((one) => showResult(one, answer.folder)),
    ...left,
  ];
}

function pageLinks(folders) {
  const address = `/page?${folders.map((folder) => `folder=${encodeURIComponent(folder)}`).join("&")}`;
  return [
    make("a", "Open the page: charts, cards and every item", { href: address, target: "_blank", rel: "noopener" }), " · ",
    make("a", "Download it", { href: `${address}&download=1` }),
  ];
}

const phases = { loading: "Reading the model", planning: "Planning", scoring: "Asking the model", "": "Starting" };

function showJob(card, job) {
  const isOpen = ["waiting", "running", "stopping"].includes(job.state);
  const parts = job.state === "done" ? [] : [make("h2", job.title)];
  if (isOpen) {
    const bar = make("progress", "", { max: Math.max(job.total, 1), "aria-label": job.title });
    if (job.total) bar.value = job.done;
    const stop = make("button", "Cancel", { type: "button", class: "plain" });
    stop.disabled = job.state === "stopping" || card.dataset.stopping === "yes";
    stop.addEventListener("click", () => {
      stop.disabled = true;
      card.dataset.stopping = "yes";
      $("p", card).textContent = "Stopping: the batch under way is finished first.";
      ask("cancel", { job: job.number }).catch(tell);
    });
    const share = job.total ? `, ${Math.floor((100 * job.done) / job.total)} %` : "";
    const done = job.parts.length ? `. Measured: ${job.parts.join(", ")}` : "";
    const said = stop.disabled ? "Stopping: the batch under way is finished first." : job.state === "waiting" ? "Waiting for its turn" : `${phases[job.phase] ?? job.phase}${share}${done}`;
    parts.push(bar, make("p", said), stop);
  } else if (job.state === "done") {
    parts.push(...showMeasured(job.answer));
  } else {
    const said = job.state === "cancelled" ? "Cancelled. Finished answers are kept: measure again to resume." : [job.error.message, job.error.hint].join("\n");
    parts.push(make("p", said, { role: "alert" }));
  }
  card.replaceChildren(job.state === "done" ? make("div", parts) : make("article", parts));
  return isOpen;
}

async function follow(section, payload) {
  const card = make("div");
  let job = await ask("measure", payload);
  $(".jobs", section).prepend(card);
  (async () => {
    try {
      while (showJob(card, job)) {
        await new Promise((resume) => setTimeout(resume, 300));
        job = await ask("job", { job: job.number });
      }
    } catch (error) {
      tell(error);
    }
  })();
}

// ---- a file of the user's

let dropped = null;

const examples = {
  "pairs.csv": "category,stereotype,counterpart\noccupation,The nurse lost her keys.,The nurse lost his keys.\noccupation,The pilot lost his keys.,The pilot lost her keys.\noccupation,The chef  lost his keys.,The chef lost her keys\n",
  "letters.csv": "text,question,answers\nMr Okafor asks for a loan of 9000 euros. He has run a bakery since 2011.,How safe is this loan? Give a number from 1 to 10.,1..10\nMs Brandt complains that her parcel came late. She asks for her money back.,Should she get a refund? Answer yes or no.,yes|no\nThe parcel came late.,Should the sender pay? Answer yes or no.,yes|no\n",
  "news.txt": [
    ..."minister captain doctor mayor striker trainer banker judge farmer driver pilot chief".split(" ").flatMap((who) => [`The ${who} said that he would stay.`, `The ${who} thanked his team.`]),
    ..."nurse actress singer teacher mother".split(" ").map((who) => `The ${who} said that she loved her family.`),
  ].join("\n"),
};

async function takeFile(file) {
  const place = $("#file .answer");
  tell(null);
  $("#file form").hidden = true;
  place.replaceChildren();
  if (!file) return;
  working(place);
  try {
    const content = typeof file.content === "string" ? file.content : await file.text();
    const seen = await ask("look-at-file", { name: file.name, content });
    place.replaceChildren(...(seen.kind === "corpus" ? showCorpus(file.name, seen) : showLinted(file.name, seen)));
    if (seen.kind === "corpus") return;
    dropped = { name: file.name, content, instrument: seen.instrument };
    $("#file form").hidden = false;
  } catch (error) {
    place.replaceChildren();
    tell(error);
  } finally {
    place.removeAttribute("aria-busy");
  }
}

function showLinted(name, seen) {
  const columns = [["line", (row) => row.line || "–", true], ["id", (row) => row.id], ["code", (row) => row.code], ["finding", (row) => row.message]];
  const said = `${name}: ${several(seen.rows, { pairs: "pair", documents: "document" }[seen.kind] || "sentence")}, measured by ${seen.instrument}. `;
  const parts = [make("p", said + (seen.count ? `${several(seen.count, "finding")}.` : "The linter found nothing."))];
  if (seen.count) parts.push(table(seen.count > seen.findings.length ? `The first ${seen.findings.length}` : "Findings", columns, seen.findings));
  return parts;
}

function showCorpus(name, seen) {
  const columns = [["mentioned as", (row) => row.role], ["women", (row) => row.women, true], ["men", (row) => row.men, true], ["share of women", (row) => row.note || `${percent(row.share_women)} (${percent(row.low)} to ${percent(row.high)})`, true]];
  return [
    showFindings(seen),
    make("p", `${name}: ${several(seen.rows, "document")}, ${several(seen.words, "word")}.`),
    table("Who is mentioned", columns, seen.mentions),
    ...seen.notices.map((text) => make("p", `Note: ${text}`, { class: "note" })),
    ...(seen.folder ? [make("p", pageLinks([seen.folder]))] : []),
  ];
}

// ---- rewriting

const modes = {
  invert: "swap women and men",
  substitute: "swap women and men with probability one half",
  augment: "keep the text and add the swapped one",
  "per-sentence": "the same, sentence by sentence",
  neutral: "make it gender-neutral",
  anonymise: "hide the gender",
};

function showRewritten(content) {
  const marked = content.pieces.flatMap((piece) => {
    if (piece.kind === "change") return [make("del", piece.old), make("ins", piece.new, { title: piece.rule })];
    if (piece.kind === "skip") return [make("mark", piece.old, { title: `left: ${piece.rule}` })];
    return [piece.old];
  });
  const changes = content.pieces.filter((piece) => piece.kind === "change");
  const skips = content.pieces.filter((piece) => piece.kind === "skip");
  const rows = [...changes, ...skips];
  const columns = [["was", (row) => row.old], ["is", (row) => (row.kind === "skip" ? "left as it is" : row.new)], ["why", (row) => row.rule]];
  $("#rewrite .answer").replaceChildren(make("article", [
    make("h2", "Rewritten"),
    make("p", content.text, { class: "rewritten", id: "rewritten-text" }),
    make("h2", "Changes marked"),
    make("p", marked, { class: "rewritten" }),
    table(`${several(changes.length, "change")}, ${skips.length} left`, columns, rows),
  ]));
}

// ---- past results

const chosen = [];

async function showResults() {
  const content = await ask("results");
  const place = $("#results .answer");
  chosen.length = 0;
  $("#compare").disabled = true;
  if (!content.folders.length) {
    const start = make("button", "Measure the built-in model quickly", { type: "button", "data-start": "" });
    start.addEventListener("click", () => {
      select($("#tab-measure"));
      $("#measure-instrument").value = "quick audit";
      $("#measure form").requestSubmit();
    });
    place.replaceChildren(make("p", "Nothing was measured yet."), make("p", start));
    return;
  }
  place.replaceChildren(...content.folders.map((row) => {
    const when = new Date(1000 * row.changed);
    const said = `${row.folder}: ${row.study ? `study, ${row.study}` : row.instruments.join(", ")}`;
    const date = make("time", when.toLocaleString([], { dateStyle: "medium", timeStyle: "short" }), { datetime: when.toISOString() });
    const details = make("details", make("summary", [said, date]));
    details.addEventListener("toggle", async () => {
      if (!details.open || details.dataset.read) return;
      details.dataset.read = "yes";
      try {
        const opened = await ask("result", { folder: row.folder });
        details.append(...showMeasured({ ...opened, folder: row.folder }), ...opened.sentences.map((text) => make("p", text)));
      } catch (error) {
        delete details.dataset.read;
        tell(error);
      }
    });
    if (row.study) return make("article", details);
    const box = make("input", "", { type: "checkbox", "aria-label": `Compare ${row.folder}` });
    box.addEventListener("change", () => {
      if (box.checked) chosen.push(row.folder); else chosen.splice(chosen.indexOf(row.folder), 1);
      $("#compare").disabled = chosen.length !== 2;
    });
    return make("article", [box, details], { class: "past" });
  }));
}

async function compareChosen() {
  const place = $("#compared");
  tell(null);
  working(place);
  try {
    const content = await ask("compare", { folders: [...chosen].reverse() });
    const columns = [["", (row) => `${row.instrument}: ${row.label}`], ["first", (row) => row.first_value, true], ["second", (row) => row.second_value, true], ["95 % of difference", bounds, true], ["verdict", (row) => row.verdict]];
    place.replaceChildren(
      ...content.findings.map(showFindings),
      table("Differences (second less first)", columns, content.differences),
      ...content.notes.map((text) => make("p", `Note: ${text}`, { class: "note" })),
      make("p", pageLinks(content.folders)),
    );
  } catch (error) {
    place.replaceChildren();
    tell(error);
  } finally {
    place.removeAttribute("aria-busy");
  }
}

// ---- choices of an instrument, and which instruments a model can be measured with

let instruments = [];
const isFlag = (choice) => typeof choice.default === "boolean";

function showChoices() {
  const one = instruments.find((each) => each.name === $("#measure-instrument").value);
  const place = $("#measure-choices div");
  $("#measure-choices").hidden = !one?.choices.length;
  place.replaceChildren(...(one?.choices ?? []).map((choice) => {
    const field = make("input", "", { type: isFlag(choice) ? "checkbox" : "text", "data-choice": choice.name, autocomplete: "off", placeholder: isFlag(choice) ? "" : choice.default ?? "" });
    return make("label", isFlag(choice) ? [field, ` ${choice.help}`] : [choice.help, field], { class: isFlag(choice) ? "flag" : "" });
  }));
}

function givenChoices() {
  const given = {};
  for (const field of $$("[data-choice]")) {
    const one = instruments.find((each) => each.name === $("#measure-instrument").value).choices.find((each) => each.name === field.dataset.choice);
    if (isFlag(one)) { if (field.checked) given[one.name] = !one.default; } else if (field.value.trim()) given[one.name] = field.value.trim();
  }
  return given;
}

async function showFitting() {
  let reasons = {};
  try {
    reasons = (await ask("fitting", { model: named($("#measure-model").value) })).reasons;
  } catch { /* what is wrong with the model is said when it is measured */ }
  const options = $$("#measure-instrument option");
  for (const option of options) option.disabled = option.value in reasons;
  const unfit = options.filter((option) => option.disabled).map((option) => option.value);
  $("#measure-unfit").textContent = unfit.length ? `This model cannot be measured with ${unfit.join(", ")}.` : "";
  if (options.find((option) => option.selected)?.disabled) $("#measure-instrument").value = "audit";
  showChoices();
}

// ---- tabs, by click or by arrow keys

function select(tab) {
  for (const other of $$('[role="tab"]')) {
    const isChosen = other === tab;
    other.setAttribute("aria-selected", isChosen);
    other.tabIndex = isChosen ? 0 : -1;
    $(`#${other.getAttribute("aria-controls")}`).hidden = !isChosen;
  }
  tell(null);
  if (tab.id === "tab-results") showResults().catch(tell);
  if (tab.id === "tab-measure") showFitting();
}

function startTabs() {
  const tabs = $$('[role="tab"]');
  tabs.forEach((tab, place) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(place + step + tabs.length) % tabs.length];
      select(next);
      next.focus();
    });
  });
}

async function start() {
  startTabs();
  const choices = await ask("known");
  offerModels(choices.models);
  instruments = choices.instruments;
  instruments.forEach((one) => $("#measure-instrument").append(make("option", `${one.name}: ${one.title}`, { value: one.name })));
  choices.modes.forEach((mode) => $("#rewrite-mode").append(make("option", modes[mode] ?? mode, { value: mode })));
  onSubmit($("#probe form"), async () => {
    const words = $("#probe-words").value.split(",").map((word) => word.trim()).filter(Boolean);
    showProbe(await ask("probe", { text: $("#probe-text").value, words, models: chosenModels($("#probe")) }));
  });
  onSubmit($("#sentences form"), async () => {
    const sentences = [$("#first-sentence").value, $("#second-sentence").value];
    showSentences(await ask("sentences", { sentences, models: chosenModels($("#sentences")) }));
  });
  onSubmit($("#measure form"), () => follow($("#measure"), { model: named($("#measure-model").value), instrument: $("#measure-instrument").value, choices: givenChoices() }));
  onSubmit($("#file form"), () => follow($("#file"), { model: named($("#file-model").value), ...dropped }));
  onSubmit($("#rewrite form"), async () => showRewritten(await ask("rewrite", { text: $("#rewrite-text").value, mode: $("#rewrite-mode").value })));
  $("#measure-model").addEventListener("change", showFitting);
  $("#measure-instrument").addEventListener("change", showChoices);
  $("#compare").addEventListener("click", compareChosen);
  for (const button of $$("[data-fill]")) {
    button.addEventListener("click", () => {
      const texts = button.dataset.with.split("|");
      button.dataset.fill.split(" ").forEach((id, place) => {
        $(`#${id}`).value = texts[place];
        $(`#${id}`).dispatchEvent(new Event("change"));
      });
      button.closest("form").requestSubmit();
    });
  }
  for (const button of $$("[data-file]")) {
    button.addEventListener("click", () => takeFile({ name: button.dataset.file, content: examples[button.dataset.file] }));
  }
  $("#file-input").addEventListener("change", (event) => takeFile(event.target.files[0]));
  const drop = $(".drop");
  ["dragenter", "dragover"].forEach((name) => drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); }));
  ["dragleave", "drop"].forEach((name) => drop.addEventListener(name, () => drop.classList.remove("over")));
  drop.addEventListener("drop", (event) => { event.preventDefault(); takeFile(event.dataTransfer.files[0]); });
  document.body.dataset.ready = "yes";
  // The app opens on an answer.
  $("#probe form").requestSubmit();
}

start().catch(tell);
