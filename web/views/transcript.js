// The same state as one reads a conversation, calls and results together; or the exact bytes that a provider
// is sent, with what is the same as in the cycle before set apart.

import { Chunks } from "../parts/chunks.js";
import { choice, copyButton, el, stateOf } from "../parts/dom.js";
import { followEnd, isAtEnd } from "../parts/follow.js";
import { number, oneLine, plural, roleClass, size, stateName } from "../parts/format.js";
import { facts, roleChip } from "../parts/row.js";
import { attemptWords } from "./attempts.js";

/// Turns of a piece of the list; the height that a turn probably has; characters of a content.
const TURNS = 10;
const TURN_HEIGHT = 260;
const CUT = 4000;

/// More than so many bytes are not fetched without being asked for.
const LARGE = 4_000_000;

/// Characters that are shown of the part that is the same, and of the part that is new.
const SHOWN_SAME = 20_000;
const SHOWN_NEW = 400_000;

const FORMS = [
  ["", "Conversation"],
  ["thread", "Thread"],
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
];

export const transcriptView = {
  async mount(root, context) {
    const { params } = context.route;
    const form = FORMS.some(([name]) => name === params.form) ? params.form : "";
    const head = el("div", { class: "bar stays" });
    head.append(choice("Form", FORMS, form, (chosen) => context.go({ params: { form: chosen } })));
    root.append(head);
    await attemptLinks(head, context, form);
    return form || params.attempt ? asSent(root, context, form || "thread") : conversation(root, context);
  },
};

/// The attempts of this cycle: each leads to what it was sent.
async function attemptLinks(head, { source, at, state, route, href }, form) {
  const cycle = at ?? state.store.cycle + 1;
  const attempts = await source.attempts(cycle, 20).catch(() => []);
  if (attempts.length === 0) return;
  const link = (attempt) => {
    const chosen = route.params.attempt === attempt.attempt_id;
    const params = { attempt: chosen ? undefined : attempt.attempt_id, form: form || attempt.thread_format || "thread" };
    return el("a", { class: `attempt ${attempt.status}`, "aria-current": chosen ? "true" : null, href: href({ params }) }, attemptWords(attempt));
  };
  head.append(el("div", { class: "attempts-here" }, el("span", { class: "dim" }, "Sent in this cycle:"), attempts.map(link)));
}

async function conversation(root, context) {
  const { source, at, before, state } = context;
  const turns = state.turns ?? 0;
  const count = Math.ceil(turns / TURNS);
  // Of long prompts this takes a while: then there is no line where they differ.
  const late = new Promise((resolve) => setTimeout(() => resolve(null), 400));
  const broken = before === null ? null : await Promise.race([late, source.prefix(before, at, "thread").catch(() => null)]);
  const marks = { broken: broken?.node, reason: broken?.reason, before, href: context.href };
  const load = async (index) => {
    const oldest = turns - index * TURNS;
    const rows = await source.turns(at, Math.max(1, oldest - TURNS + 1), oldest, CUT);
    return messages(rows, marks);
  };
  const end = followEnd(context.scroller);
  const chunks = new Chunks({ count, estimate: TURNS * TURN_HEIGHT, load, filled: end.filled });
  const [standing, head] = await Promise.all([source.region(at, "^sys", CUT), source.region(at, "^ah", CUT)]);
  await chunks.ensure(count - 1);
  const rest = [messages(standing, marks), chunks.root, messages(head, marks)];
  root.append(el("div", { class: "conversation" }, rest));
  if (turns === 0 && standing.length === 0 && head.length === 0) {
    root.append(stateOf("Nothing was said yet", "What is added and committed appears here by itself."));
  }
  return end.view(chunks);
}

/// Rows as messages. A result that is there is shown inside of its call.
function messages(rows, marks) {
  const blocks = rows.filter((row) => row.text !== null);
  const results = new Map(blocks.filter((row) => row.kind === "result" && row.call).map((row) => [row.call, row]));
  const calls = new Set(blocks.filter((row) => row.kind === "call" && row.call).map((row) => row.call));
  const out = [];
  for (const row of blocks) {
    if (row.id === marks.broken) out.push(divider(marks));
    if (row.kind === "result" && calls.has(row.call)) continue;
    out.push(row.kind === "call" ? callOf(row, results.get(row.call), marks) : message(row, marks));
  }
  return out;
}

function divider({ before, reason }) {
  const words = reason === "appended" ? "new since" : `the prompt differs from here (${reason}):`;
  return el("p", { class: "divider", id: "divider" }, `↑ the same as ${stateName(before)} · ↓ ${words} ${stateName(before)}`);
}

function message(row, marks) {
  return el("article", { class: `message role-${roleClass(row.role)}` }, byline(row, marks), bodyOf(row));
}

function byline(row, { href }) {
  return el(
    "header",
    {},
    roleChip(row.role ?? "none"),
    el("a", { class: "name", href: href({ params: { node: row.id } }) }, oneLine(row.id, 40)),
    el("span", { class: "facts" }, facts(row)),
  );
}

function bodyOf(row) {
  const cut = [...(row.text ?? "")].length >= CUT;
  return el("div", { class: "said" }, row.text, cut ? el("p", { class: "dim" }, `… ${size(row.bytes)} in all: open the node to read it whole`) : null);
}

function callOf(call, result, marks) {
  const name = call.tool ?? "call";
  return el(
    "article",
    { class: `message call role-${roleClass(call.role)}` },
    byline(call, marks),
    el(
      "details",
      {},
      el("summary", {}, el("code", {}, `${name}(${oneLine(call.text, 120)})`), result ? el("span", { class: "dim" }, ` → ${oneLine(result.text, 90)}`) : el("span", { class: "dim" }, " no result here")),
      bodyOf(call),
      result ? el("div", { class: "result" }, byline(result, marks), bodyOf(result)) : null,
    ),
  );
}

async function asSent(root, context, format) {
  const { source, at, before, route } = context;
  const { attempt } = route.params;
  const unknown = (error) => (error.code === "E_TIMEOUT" ? { bytes: [0, Infinity], late: true } : null);
  const shared = attempt || before === null ? null : await source.prefix(before, at, format).catch(unknown);
  const place = el("div", {});
  root.append(place);
  const fetchIt = async () => {
    const sent = attempt ? await source.threadOfAttempt(attempt, format) : await source.thread(at, format);
    place.replaceChildren(...sentParts(sent, shared?.late ? null : shared, before));
  };
  const bytes = shared?.bytes?.[1] ?? 0;
  if (bytes <= LARGE) await fetchIt();
  else place.append(stateOf(shared.late ? "The prompt is very long" : `The prompt has ${size(bytes)}`, "That is much for a browser.", el("button", { type: "button", onclick: fetchIt }, "Load it all the same")));
  return { follows: () => isAtEnd(context.scroller) };
}

function sentParts({ text, warnings }, shared, before) {
  const bytes = new TextEncoder().encode(text);
  const common = Math.min(shared?.common_bytes ?? 0, bytes.length);
  const decoder = new TextDecoder();
  const [same, differs] = [decoder.decode(bytes.subarray(0, common)), decoder.decode(bytes.subarray(common))];
  const share = bytes.length > 0 ? Math.floor((100 * common) / bytes.length) : 0;
  const words = shared
    ? `${number(bytes.length)} bytes, of which ${number(common)} (${share} %) are the same as in ${stateName(before)}: ${reasonWords(shared)}`
    : `${number(bytes.length)} bytes`;
  return [
    el("p", { class: "summary" }, words, " ", copyButton("copy", text, "Copy the prompt")),
    warnings.length > 0 ? el("details", { class: "warning" }, el("summary", {}, `${plural(warnings.length, "block")} said in another way`), warnings.map((warning) => el("p", {}, warning))) : null,
    same ? el("pre", { class: "sent same", "aria-label": "The same as in the cycle before" }, cutStart(same)) : null,
    same ? el("p", { class: "divider" }, `↑ the same as ${stateName(before)} · ↓ not`) : null,
    el("pre", { class: "sent", "aria-label": "What is new" }, cutEnd(differs)),
  ].flat().filter(Boolean);
}

function reasonWords({ reason, node }) {
  if (reason === "same") return "nothing changed";
  if (reason === "appended") return "the rest was appended";
  return `${node ?? "a block"} was ${reason}`;
}

function cutStart(text) {
  return text.length <= SHOWN_SAME ? text : `… ${plural(text.length - SHOWN_SAME, "character")} before this …\n${text.slice(-SHOWN_SAME)}`;
}

function cutEnd(text) {
  return text.length <= SHOWN_NEW ? text : `${text.slice(0, SHOWN_NEW)}\n… ${plural(text.length - SHOWN_NEW, "character")} more: copy takes them too`;
}
