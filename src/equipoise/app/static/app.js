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
    const button = $("button", form);
    button.disabled = true;
    tell(null);
    try {
      await work();
      bringIntoView(form.nextElementSibling);
    } catch (error) {
      tell(error);
    } finally {
      button.disabled = false;
    }
  });
}

// On a narrow page the answer stands below the form, where nobody would see it come.
function bringIntoView(place) {
  if (place && place.childElementCount && place.getBoundingClientRect().top > innerHeight * 0.6) place.scrollIntoView({ block: "start" });
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

const meanings = { embedded: "BERT-base-uncased, which ships with Equipoise", random: "weights drawn by chance, for comparison" };

function offerModels(names) {
  for (const fieldset of $$("fieldset.models")) {
    names.forEach((name, place) => {
      const box = make("input", "", { type: "checkbox", value: name });
      box.checked = place === 0;
      fieldset.append(make("label", [box, name]));
    });
    const label = make("label", "Folders of other models, with commas between them", { class: "alone" });
    const field = make("input", "", { type: "text", autocomplete: "off", spellcheck: "false" });
    field.id = `${fieldset.closest("section").id}-folders`;
    label.htmlFor = field.id;
    fieldset.append(label, field);
    const told = names.filter((name) => meanings[name]).map((name) => `${name}: ${meanings[name]}`);
    if (told.length) fieldset.append(make("p", `${told.join("; ")}.`, { class: "note" }));
  }
  for (const field of $$("input.one-model")) field.value = names[0];
  names.forEach((name) => $("#model-names").append(make("option", "", { value: name })));
}

// ---- asking directly

function showProbe(content) {
  $("#probe .answer").replaceChildren(...content.answers.map((one) => {
    const value = (row) => row.probability ?? row.share;
    const name = one.notes.length ? "share" : "probability";
    const columns = [["word", (row) => row.word], [name, value, true], ["", (row) => share(value(row))]];
    if (one.words.some((row) => row.pole)) columns.unshift(["pole", (row) => row.pole]);
    const likeliest = [["word", (row) => row.word], [name, value, true]];
    return make("article", [
      make("h2", one.model),
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

function showSentences(content) {
  $("#sentences .answer").replaceChildren(...content.answers.map((one) => {
    const [first, second] = one.sentences;
    const parts = [make("h2", one.model)];
    for (const [sentence, other] of [[first, second ?? first], ...(second ? [[second, first]] : [])]) {
      parts.push(make("p", [sentence.text, ` (log-probability ${number(sentence.logprob)} nats)`]), tokensOf(sentence, other));
    }
    if (second) {
      const difference = first.logprob - second.logprob;
      const side = difference > 0 ? "first" : "second";
      const odds = number(Math.exp(Math.abs(difference)), 2);
      parts.push(make("p", difference === 0 ? "Both are equally likely." : `The ${side} sentence is likelier, by ${number(Math.abs(difference))} nats (odds of ${odds} to 1).`));
    }
    return make("article", parts);
  }));
}

// ---- measuring

function showResult(one) {
  const columns = [
    ["estimate", (row) => (row.by ? `${row.label} (${row.by}: ${row.level})` : row.label)],
    ["value", (row) => row.value, true],
    ["95 % interval", (row) => (row.low === null ? "too few to tell" : `${number(row.low)} to ${number(row.high)}`), true],
    ["n", (row) => row.n, true],
    ["good", (row) => (row.better === "neutral" ? row.neutral : row.better === "none" ? "–" : row.better), true],
  ];
  return make("article", [
    make("h2", `${one.instrument} of ${one.model}`),
    table(one.title, columns, one.headlines),
    ...one.sentences.map((text) => make("p", text)),
    ...one.notices.map((text) => make("p", `note: ${text}`, { class: "note" })),
  ]);
}

function pageLink(folder) {
  return make("a", "Open its page: charts, cards and every item", {
    href: `/page?folder=${encodeURIComponent(folder)}`, target: "_blank", rel: "noopener",
  });
}

const phases = { loading: "reading the model", planning: "planning", scoring: "asking the model" };

function showJob(card, job) {
  const isOpen = job.state === "waiting" || job.state === "running";
  const parts = job.state === "done" ? [] : [make("h2", job.title)];
  if (isOpen) {
    const bar = make("progress", "", { max: Math.max(job.total, 1), "aria-label": job.title });
    if (job.total) bar.value = job.done;
    const stop = make("button", "Cancel", { type: "button", class: "plain" });
    stop.addEventListener("click", () => ask("cancel", { job: job.number }).catch(tell));
    const share = job.total ? `, ${Math.floor((100 * job.done) / job.total)} %` : "";
    parts.push(bar, make("p", job.state === "waiting" ? "waiting for its turn" : `${phases[job.phase] ?? job.phase}${share}`), stop);
  } else if (job.state === "done") {
    parts.push(...job.answer.results.map(showResult), make("p", ["Saved in ", job.answer.folder, ". ", pageLink(job.answer.folder)]));
  } else {
    const said = job.state === "cancelled" ? "Cancelled. What was answered is kept: measured again, it goes on from there." : [job.error.message, job.error.hint].join("\n");
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

async function takeFile(file) {
  tell(null);
  $("#file form").hidden = true;
  $("#file .answer").replaceChildren();
  if (!file) return;
  try {
    const content = await file.text();
    const seen = await ask("look-at-file", { name: file.name, content });
    dropped = { name: file.name, content, instrument: seen.instrument };
    const said = `${file.name}: ${seen.rows} ${seen.kind === "pairs" ? "pairs" : "sentences from templates"}, measured by ${seen.instrument}. `;
    const columns = [["line", (row) => row.line || "–", true], ["id", (row) => row.id], ["code", (row) => row.code], ["finding", (row) => row.message]];
    const parts = [make("p", said + (seen.count ? `${seen.count} findings.` : "The linter found nothing."))];
    if (seen.count) parts.push(table(`The first ${seen.findings.length} findings`, columns, seen.findings));
    $("#file .answer").replaceChildren(...parts);
    $("#file form").hidden = false;
  } catch (error) {
    tell(error);
  }
}

// ---- rewriting

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
    table(`${changes.length} changes, ${skips.length} left`, columns, rows),
  ]));
}

// ---- past results

async function showResults() {
  const content = await ask("results");
  const place = $("#results .answer");
  if (!content.folders.length) {
    place.replaceChildren(make("p", `There is no result below ${content.root} yet.`));
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
        details.append(make("p", pageLink(row.folder)), ...opened.sentences.map((text) => make("p", text)), ...opened.results.map(showResult));
      } catch (error) {
        delete details.dataset.read;
        tell(error);
      }
    });
    return make("article", details);
  }));
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
  choices.instruments.forEach((one) => $("#measure-instrument").append(make("option", `${one.name}: ${one.title}`, { value: one.name })));
  choices.modes.forEach((mode) => $("#rewrite-mode").append(make("option", mode, { value: mode })));
  onSubmit($("#probe form"), async () => {
    const words = $("#probe-words").value.split(",").map((word) => word.trim()).filter(Boolean);
    showProbe(await ask("probe", { text: $("#probe-text").value, words, models: chosenModels($("#probe")) }));
  });
  onSubmit($("#sentences form"), async () => {
    const sentences = [$("#first-sentence").value, $("#second-sentence").value];
    showSentences(await ask("sentences", { sentences, models: chosenModels($("#sentences")) }));
  });
  onSubmit($("#measure form"), () => follow($("#measure"), { model: $("#measure-model").value, instrument: $("#measure-instrument").value }));
  onSubmit($("#file form"), () => follow($("#file"), { model: $("#file-model").value, ...dropped }));
  onSubmit($("#rewrite form"), async () => showRewritten(await ask("rewrite", { text: $("#rewrite-text").value, mode: $("#rewrite-mode").value })));
  $("#file-input").addEventListener("change", (event) => takeFile(event.target.files[0]));
  const drop = $(".drop");
  ["dragenter", "dragover"].forEach((name) => drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); }));
  ["dragleave", "drop"].forEach((name) => drop.addEventListener(name, () => drop.classList.remove("over")));
  drop.addEventListener("drop", (event) => { event.preventDefault(); takeFile(event.dataTransfer.files[0]); });
  document.body.dataset.ready = "yes";
}

start().catch(tell);
