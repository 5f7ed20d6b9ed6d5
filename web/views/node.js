// One node, beside the view: its content, its headers, its life, who refers to it, call and result together.

import { copyButton, el, errorState, svg } from "../parts/dom.js";
import { idSelector, moment, number, oneLine, plural, size, stateName } from "../parts/format.js";
import { jsonTree } from "../parts/json.js";
import { roleChip } from "../parts/row.js";

/// Characters of a content that are shown before being asked for more.
const SHOWN = 50_000;

/// Headers that have a place of their own in the panel, or say nothing.
const ELSEWHERE = ["id", "content", "role", "nodeType", "created_at_ns"];

/// Fills the panel.
export async function nodePanel(panel, context) {
  const { id, at, source, close } = context;
  const button = el("button", { type: "button", class: "close", "aria-label": "Close the node", title: "Close (Esc)", onclick: close }, "×");
  const body = el("div", { class: "node-body", "aria-busy": "true" });
  const title = el("h2", {}, oneLine(id, 60));
  panel.replaceChildren(el("header", {}, title, button), body);
  try {
    // Of a long history this takes longer than the rest, which does not wait for it.
    const happened = source.life(id).catch(() => []);
    const [node, span] = await Promise.all([source.exactNode(id, at), source.lifespan(id)]);
    const sections = node ? await present(node, context) : absent(span, context);
    const life = el("div", {}, lifeSection(span, null, context) ?? "");
    body.replaceChildren(...sections.flat(Infinity).filter(Boolean), life);
    happened.then((moments) => life.replaceChildren(lifeSection(span, moments, context) ?? ""));
  } catch (error) {
    body.replaceChildren(errorState(error));
  }
  body.removeAttribute("aria-busy");
}

function absent(span, { at, href }) {
  if (!span) return [el("p", { class: "dim" }, "There never was a node with this id.")];
  const last = span.ended === null ? null : span.ended - 1;
  const where = span.ended !== null && (at === null || at >= span.ended) ? last : span.born;
  return [
    el("p", {}, `It is not in ${at === null ? "the working state" : stateName(at)}.`),
    where === null ? null : el("p", {}, el("a", { href: href({ at: where }) }, `Go to ${stateName(where)}, which has it`)),
  ];
}

async function present(node, context) {
  const { id, at, source } = context;
  const address = `${at === null ? "" : `@c${at} `}${idSelector(id)}`;
  const facts = el("p", { class: "node-facts" }, roleChip(node.role), el("span", { class: "dim" }, node.nodeType), copyButton(oneLine(address, 40), address, "Copy its selector"));
  return [
    facts,
    "content" in node ? contentSection(node) : null,
    await callSection(node, context),
    await referencesSection(node, context, source),
    headersSection(node),
  ];
}

function contentSection({ content, mime }) {
  const value = asJson(content);
  const text = typeof content === "string" ? content : JSON.stringify(content, writeExact, 2);
  const place = el("div", {});
  const show = (form) => place.replaceChildren(form === "json" ? jsonTree(value) : wholeText(text));
  show(value === undefined ? "text" : "json");
  const forms = value === undefined ? null : ["json", "text"].map((form) => el("button", { type: "button", class: "small", onclick: () => show(form) }, form));
  const about = [size(new TextEncoder().encode(text).length), mime].filter(Boolean).join(" · ");
  return el("section", {}, el("h3", {}, "Content ", el("small", {}, about), copyButton("copy", text), forms), place);
}

/// The value of a content that is JSON, also in a text; undefined if it is none.
function asJson(content) {
  if (typeof content !== "string") return content;
  if (!/^\s*[[{]/.test(content)) return undefined;
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

function wholeText(text) {
  const pre = el("pre", { class: "content" }, text.slice(0, SHOWN));
  if (text.length <= SHOWN) return pre;
  const more = el("button", { type: "button", class: "small", onclick: () => { pre.textContent = text; more.remove(); } }, `show all ${plural(text.length, "character")}`);
  return el("div", {}, pre, more);
}

async function callSection(node, { id, at, source, href }) {
  const call = node.data_call_id;
  if (typeof call !== "string") return null;
  const ids = (await source.callPair(call, at).catch(() => [])).filter((other) => other !== id);
  if (ids.length === 0) return el("section", {}, el("h3", {}, "Call and result"), el("p", { class: "dim" }, "The other half is not in this state."));
  const others = await source.details(ids.slice(0, 5), at);
  const side = (one) =>
    el("div", { class: "half" }, el("p", {}, el("a", { href: href({ params: { node: one.id } }) }, one.id), " ", el("span", { class: "dim" }, one.kind ?? one.role ?? "")), wholeText(textOf(one.content)));
  const both = [node, ...others.filter(Boolean)].sort((a, b) => (a.kind === "call" ? -1 : 0) - (b.kind === "call" ? -1 : 0));
  return el("section", {}, el("h3", {}, "Call and result"), el("div", { class: "halves" }, both.map(side)));
}

async function referencesSection(node, { id, at, href }, source) {
  const into = await source.referrers(id, at).catch(() => []);
  const out = node.refs ?? [];
  if (into.length === 0 && out.length === 0) return null;
  const links = (ids) => ids.map((other) => [el("a", { href: href({ params: { node: other } }) }, oneLine(other, 40)), " "]);
  return el(
    "section",
    {},
    el("h3", {}, "References"),
    out.length > 0 ? el("p", {}, "refers to ", links(out)) : null,
    into.length > 0 ? el("p", {}, "referred to by ", links(into)) : null,
  );
}

function headersSection(node) {
  const rows = Object.entries(node).filter(([name, value]) => !ELSEWHERE.includes(name) && value !== null);
  return el(
    "section",
    {},
    el("h3", {}, "Headers"),
    el("dl", { class: "headers" }, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, headerText(name, value))])),
  );
}

function headerText(name, value) {
  if (name === "created_at_iso") return moment(value);
  return typeof value === "string" ? value : JSON.stringify(value, writeExact);
}

/// From birth to end as a line, and what happened on the way, if that is known yet.
function lifeSection(span, told, { at, href }) {
  if (!span) return null;
  const moments = told ?? [];
  const born = moments[0]?.cycle ?? span.born;
  const end = span.ended ?? Math.max(at ?? 0, ...moments.map(({ cycle }) => cycle), born);
  const place = (cycle) => 6 + (288 * (cycle - born)) / Math.max(1, end - born);
  const words = span.ended === null ? `alive since ${stateName(span.born)}` : `${stateName(span.born)} to ${stateName(span.ended)}: ${span.how ?? "gone"}`;
  const drawn = svg(
    "svg",
    { viewBox: "0 0 300 24", class: "lifeline", role: "img", "aria-label": words },
    svg("line", { x1: place(born), x2: place(end), y1: 12, y2: 12, class: `life ${span.how ?? "alive"}` }),
    moments.slice(0, 200).map((one) => svg("circle", { cx: place(one.cycle), cy: 12, r: 3.5, class: `moment ${one.what}` }, svg("title", {}, `${one.what} in cycle ${one.cycle}`))),
    at !== null && at >= born && at <= end ? svg("line", { x1: place(at), x2: place(at), y1: 2, y2: 22, class: "here" }) : null,
  );
  const step = (one) => el("li", {}, el("a", { href: href({ at: one.cycle }) }, `@c${number(one.cycle)}`), ` ${one.what}`, one.with ? ` with ${oneLine(one.with, 30)}` : "", fieldWords(one.fields), el("span", { class: "dim" }, ` ${moment(one.time)}`));
  return el("section", {}, el("h3", {}, "Life ", el("small", {}, words)), drawn, told ? el("ol", { class: "moments" }, moments.slice(0, 100).map(step)) : el("p", { class: "dim" }, "loading …"));
}

function fieldWords(fields) {
  const told = (fields ?? []).filter(({ name }) => name !== "content" && name !== "role");
  return told.length === 0 ? "" : `: ${oneLine(told.map(({ name, from, to }) => `${name} ${JSON.stringify(from)} → ${JSON.stringify(to)}`).join(", "), 140)}`;
}

/// A content as a text.
export function textOf(content) {
  if (content === undefined || content === null) return "";
  return typeof content === "string" ? content : JSON.stringify(content, writeExact, 2);
}

function writeExact(key, value) {
  const isRaw = value && typeof value === "object" && typeof value.raw === "string" && Object.keys(value).length === 1;
  return isRaw && JSON.rawJSON ? JSON.rawJSON(value.raw) : value;
}
