// Questions in the language of the REPL: selectors, stages, SQL. Completion while typing, the caret of an error
// below the text, the answer as a table and as a picture, copies in other forms. Saved questions stay in the
// browser.

import { completeIn } from "../parts/complete.js";
import { copyButton, el, stateOf } from "../parts/dom.js";
import { plural, stateName } from "../parts/format.js";
import { caretLines, csvOf, curlOf, isSql, requestOf } from "../parts/question.js";
import { resultChart, resultTable, tableOf } from "../parts/result.js";
import { addressOf } from "../source.js";

/// Rows that are asked for.
const ROWS = 1000;

/// Questions to begin with.
const EXAMPLES = [
  ".cb | count by role",
  "each @t-20..@t0 .cb | sum tokens by at",
  ".cb[role='user']",
  "@t-3..@t0 .cb",
  "select tool, count(*) as n, sum(result_bytes) as bytes from calls group by tool order by n desc",
  "select how, count(*) as n from lives where ended is not null group by how",
];

export const askView = {
  async mount(root, context) {
    const { source, route } = context;
    if (!source.canAsk) return savedAnswers(root, source, context);
    const field = el("textarea", { rows: "2", spellcheck: "false", autocapitalize: "off", autocomplete: "off", id: "question", "aria-label": "Question", role: "combobox", "aria-expanded": "false", "aria-controls": "offers", "aria-autocomplete": "list", placeholder: "a selector, a selector | stages, or select … from …" });
    field.value = route.params.q ?? "";
    const list = el("ul", { id: "offers", role: "listbox", hidden: true, "aria-label": "What could be typed" });
    const answer = el("div", { class: "answer", "aria-live": "polite" });
    const asked = { stopped: null };
    const run = () => {
      const text = field.value;
      if (text.trim() === "") return;
      if (text === route.params.q) answered(answer, text, context, asked);
      else context.go({ params: { q: text } });
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && list.hidden) return field.blur();
      if (event.key !== "Enter" || event.shiftKey || !list.hidden && list.querySelector("[aria-selected=true]")) return;
      event.preventDefault();
      completion.close();
      run();
    });
    const completion = completeIn(field, list, (text, cursor) => source.api.askAlone({ op: "complete", text, cursor, at: addressOf(context.at) }));
    const saved = el("div", { class: "saved" });
    const buttons = el("div", { class: "bar" }, el("button", { type: "button", class: "primary", onclick: run }, "Ask"), el("button", { type: "button", onclick: () => keep(context, field.value, saved) }, "Save"), el("span", { class: "dim" }, `A selector without a time is asked in ${context.at === null ? "the working state" : stateName(context.at)}.`));
    root.append(el("div", { class: "question" }, field, list), buttons, saved, answer);
    drawSaved(context, saved);
    if (field.value) await answered(answer, field.value, context, asked);
    return { shown: () => field.focus(), follows: () => false, stop: () => asked.stopped?.abort() };
  },
};

async function answered(place, text, context, asked) {
  asked.stopped?.abort();
  asked.stopped = new AbortController();
  const { request, shift } = requestOf(text, context.at, ROWS);
  const began = performance.now();
  place.classList.add("stale");
  try {
    const ok = await context.source.api.askAlone(request, asked.stopped.signal);
    const took = Math.round(performance.now() - began);
    place.replaceChildren(...answerParts(request, ok, text, took, context));
  } catch (error) {
    if (error.name === "AbortError") return;
    place.replaceChildren(questionError(error, text, shift));
  }
  place.classList.remove("stale");
}

function questionError(error, text, shift) {
  return el(
    "div",
    { class: "error", role: "alert" },
    el("p", {}, el("strong", {}, error.code ?? "error"), ` ${error.span ? error.message.replace(/^at byte \d+: /, "") : error.message}`),
    error.span ? el("pre", { class: "caret" }, caretLines(text, error.span, shift)) : null,
    error.hint ? el("p", { class: "hint" }, `hint: ${error.hint}`) : null,
  );
}

function answerParts(request, ok, text, took, context) {
  const table = tableOf(request, ok);
  const count = `${plural(table.rows.length, "row")}${table.truncated ? ", and there are more" : ""}, ${took} ms`;
  const explained = el("div", { class: "explained" });
  const tools = el(
    "div",
    { class: "bar" },
    el("span", { class: "dim" }, count),
    el("button", { type: "button", class: "small", onclick: () => explain(explained, request, context) }, "explain"),
    el("span", { class: "dim" }, "copy as"),
    request.op === "sql" && isSql(text) ? null : copyButton("selector", request.q),
    copyButton("SQL", sqlOf(request)),
    copyButton("curl", () => curlOf(context.route.store, request)),
    copyButton("CSV", () => csvOf(table.columns, table.rows)),
    copyButton("JSON", () => JSON.stringify(ok, null, 2)),
  );
  const body = table.rows.length === 0 ? stateOf("Nothing was found", "The question was understood, and no node matches it.") : resultTable(table, context.href);
  return [tools, explained, resultChart(table) ?? "", body];
}

/// The same as a statement of SQL.
function sqlOf(request) {
  if (request.op === "sql") return request.q;
  const table = request.op === "select" ? "changes" : "pact";
  return `select * from ${table}('${request.q.replace(/'/g, "''")}')`;
}

async function explain(place, request, { source }) {
  const op = request.op === "sql" ? { op: "sql", q: request.q, explain: true } : { op: "explain", q: request.q };
  try {
    const ok = await source.api.askAlone(op);
    const lines = request.op === "sql" ? ok.rows.map(([step]) => step) : [ok.canonical, `asks ${ok.time}`, ...ok.plan, ...ok.reads, ...ok.advice];
    place.replaceChildren(el("pre", {}, lines.join("\n")));
  } catch (error) {
    place.replaceChildren(el("p", { class: "error" }, error.message));
  }
}

/// Questions that were kept for a store.
function savedQuestions(store) {
  try {
    const list = JSON.parse(localStorage.getItem(`pactdb-questions ${store}`) ?? "[]");
    return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

function keep(context, text, place) {
  const question = text.trim();
  if (question === "") return;
  const all = [question, ...savedQuestions(context.route.store).filter((one) => one !== question)];
  store(context, all.slice(0, 50));
  drawSaved(context, place);
}

function store(context, all) {
  try {
    localStorage.setItem(`pactdb-questions ${context.route.store}`, JSON.stringify(all));
  } catch {
    // A browser that keeps nothing still answers.
  }
}

function drawSaved(context, place) {
  const saved = savedQuestions(context.route.store);
  const link = (text, remove) => el("span", { class: "chip" }, el("a", { href: context.href({ params: { q: text } }) }, text), remove ? el("button", { type: "button", "aria-label": `Forget ${text}`, onclick: remove }, "×") : null);
  place.replaceChildren(
    ...(saved.length > 0 ? [el("span", { class: "dim" }, "saved "), ...saved.map((text) => link(text, () => { store(context, saved.filter((one) => one !== text)); drawSaved(context, place); }))] : [el("span", { class: "dim" }, "for example "), ...EXAMPLES.map((text) => link(text))]),
  );
}

/// In an exported page there is no engine: the answers that were saved into it are shown.
function savedAnswers(root, source, context) {
  const answers = source.answers();
  if (answers.length === 0) root.append(stateOf("No question can be asked here", "This is an exported page. Open the store with pactdb ui to ask."));
  for (const { request, ok } of answers) {
    const table = tableOf(request, ok);
    root.append(el("h2", {}, el("code", {}, request.q)), resultChart(table) ?? "", resultTable(table, context.href));
  }
  return {};
}
