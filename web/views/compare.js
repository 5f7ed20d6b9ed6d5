// Two states side by side: what was added, removed, changed and moved, contents by words.

import { el, stateOf } from "../parts/dom.js";
import { number, oneLine, plural, size, stateName } from "../parts/format.js";
import { CHANGES, changeKind, changeMark, roleChip } from "../parts/row.js";
import { wordDiff } from "../parts/words.js";
import { textOf } from "./node.js";

/// How many nodes are shown at a time.
const AT_ONCE = 40;

/// Characters of a content that are compared.
const COMPARED = 20_000;

export const compareView = {
  async mount(root, context) {
    const { source, at, route, state } = context;
    const asked = /^\d+$/.test(route.params.with ?? "") ? Number(route.params.with) : context.before;
    root.append(controls(context, asked));
    if (asked === null) {
      root.append(stateOf("There is nothing to compare with", "This is the first cycle. Choose two in the timeline by dragging."));
      return {};
    }
    const rank = (cycle) => cycle ?? Number.MAX_SAFE_INTEGER;
    const [older, newer] = rank(asked) <= rank(at) ? [asked, at] : [at, asked];
    // Of long prompts this takes a while, and is put in when it comes.
    const common = el("div", {});
    source.prefix(older, newer, "thread").then((prefix) => common.append(prefixWords(prefix, older, context)), () => {});
    const difference = await source.changes(older, newer);
    const hidden = new Set((route.params.hide ?? "").split(",").filter(Boolean));
    const quiet = route.params.ttl !== "all";
    const entries = entriesOf(difference, quiet);
    const shown = entries.filter(({ change }) => !hidden.has(change));
    const list = el("div", { class: "differences" });
    root.append(
      common,
      filters(context, entries, hidden, quiet, difference),
      el("div", { class: "sides", "aria-hidden": "true" }, el("h3", {}, stateName(older)), el("h3", {}, newer === null ? "now (working state)" : stateName(newer))),
      list,
    );
    if (shown.length === 0) list.append(stateOf("Nothing differs", entries.length > 0 ? "All that differs is hidden above." : state.store.cycle === 0 ? "" : "The two states have the same nodes."));
    await more(list, shown, 0, { source, older, newer, href: context.href });
    return {};
  },
};

function controls({ at, state, go, route }, asked) {
  const field = (label, value, change) => {
    const input = el("input", { type: "number", min: "1", max: String(state.store.cycle), value: value ?? "", placeholder: "now" });
    input.addEventListener("change", () => change(input.value === "" ? null : Number(input.value)));
    return el("label", {}, label, input);
  };
  return el(
    "div",
    { class: "bar" },
    field("from cycle", asked, (value) => value !== null && go({ params: { with: value } })),
    field("to cycle", at, (value) => go({ at: value, params: { with: asked } })),
    asked !== null && at !== null ? el("button", { type: "button", onclick: () => go({ at: asked, params: { ...route.params, with: at } }) }, "swap") : null,
  );
}

/// Every node that differs, once, in the order added, removed, changed, moved.
function entriesOf(difference, quiet) {
  const entries = new Map();
  const put = (id, change, more) => entries.set(id, { ...more, id, change });
  for (const id of difference.added) put(id, "added");
  for (const id of difference.removed) put(id, "removed");
  for (const entry of difference.changed) {
    const kind = changeKind(entry);
    if (kind || !quiet) put(entry.id, kind ?? "changed", entry);
  }
  for (const { from, to } of difference.moved) Object.assign(entries.get(to) ?? {}, { cameFrom: from });
  return [...entries.values()];
}

function prefixWords(prefix, older, { href }) {
  const share = prefix.bytes[1] > 0 ? Math.floor((100 * prefix.common_bytes) / prefix.bytes[1]) : 0;
  const why = { same: "the prompts are the same", appended: "the rest was appended: a prompt cache hits" }[prefix.reason];
  const node = prefix.node ? [" at ", el("a", { href: href({ params: { node: prefix.node } }) }, oneLine(prefix.node, 40))] : null;
  return el(
    "p",
    { class: "summary" },
    `${size(prefix.common_bytes)} of ${size(prefix.bytes[1])} (${share} %) of the prompt are the same as in ${stateName(older)}; `,
    why ? why : [`then something was ${prefix.reason}`, node],
  );
}

function filters({ go, route }, entries, hidden, quiet, difference) {
  const count = (change) => entries.filter((entry) => entry.change === change).length;
  const box = (label, checked, change, mark) => {
    const input = el("input", { type: "checkbox" });
    input.checked = checked;
    input.addEventListener("change", () => change(input.checked));
    return el("label", { class: "check" }, input, mark ?? null, label);
  };
  const toggle = (change) => (on) => {
    const next = new Set(hidden);
    if (on) next.delete(change);
    else next.add(change);
    go({ params: { ...route.params, hide: [...next].join(",") } });
  };
  const counted = difference.changed.filter((entry) => changeKind(entry) === null).length;
  return el(
    "div",
    { class: "bar", role: "group", "aria-label": "What is shown" },
    Object.keys(CHANGES).map((change) => box(`${number(count(change))} ${change}`, !hidden.has(change), toggle(change), changeMark(change))),
    box(`hide what only counts down (${number(counted)})`, quiet, (on) => go({ params: { ...route.params, ttl: on ? undefined : "all" } })),
  );
}

async function more(list, entries, from, { source, older, newer, href }) {
  const some = entries.slice(from, from + AT_ONCE);
  const ids = (left) => some.filter(({ change }) => change !== left).map(({ id }) => id);
  const byId = (asked, found) => new Map(asked.map((id, index) => [id, found[index]]));
  const [leftIds, rightIds] = [ids("added"), ids("removed")];
  const [left, right] = await Promise.all([source.details(leftIds, older), source.details(rightIds, newer)]);
  const [olds, news] = [byId(leftIds, left), byId(rightIds, right)];
  const isBlock = ({ id }) => "content" in (news.get(id) ?? olds.get(id) ?? {});
  list.append(...some.filter(isBlock).map((entry) => difference(entry, olds.get(entry.id), news.get(entry.id), href)));
  const containers = some.filter((entry) => !isBlock(entry));
  if (containers.length > 0) list.append(containerLine(containers, href));
  const rest = entries.length - from - some.length;
  if (rest <= 0) return;
  const button = el("button", { type: "button", onclick: () => { button.remove(); more(list, entries, from + AT_ONCE, { source, older, newer, href }); } }, `${plural(rest, "more node")}`);
  list.append(button);
}

/// Turns and containers have no content: a line has them all.
function containerLine(entries, href) {
  const links = entries.map(({ id, change }) => el("span", { class: "container-link" }, changeMark(change), el("a", { class: "name", href: href({ params: { node: id } }) }, oneLine(id, 30))));
  return el("p", { class: "summary" }, "containers: ", links);
}

function difference({ id, change, fields, delta, cameFrom }, older, newer, href) {
  const node = newer ?? older ?? {};
  const head = el(
    "header",
    {},
    changeMark(change),
    el("a", { class: "name", href: href({ params: { node: id } }) }, oneLine(id, 40)),
    roleChip(node.role),
    node.kind ? el("span", { class: "fact kind" }, oneLine(node.kind, 30)) : null,
    fieldChanges(fields, delta),
    cameFrom ? el("span", { class: "fact" }, `the content of ${oneLine(cameFrom, 30)} again`) : null,
  );
  return el("article", { class: `difference ${change}` }, head, sides(change, textOf(older?.content), textOf(newer?.content)));
}

function fieldChanges(fields, delta) {
  const told = (fields ?? []).filter((name) => !["content", "content_hash"].includes(name));
  return told.map((name) => {
    const { from, to } = delta?.[name] ?? {};
    return el("span", { class: "fact" }, oneLine(`${name}: ${JSON.stringify(from ?? null)} → ${JSON.stringify(to ?? null)}`, 120));
  });
}

function sides(change, older, newer) {
  const [left, right] = [older.slice(0, COMPARED), newer.slice(0, COMPARED)];
  const cut = older.length > COMPARED || newer.length > COMPARED;
  if (change === "moved" || older === newer) return el("div", { class: "pair" }, el("pre", { class: "both" }, oneLine(newer, 300)));
  const parts = change === "changed" ? wordDiff(left, right) : [[change, change === "added" ? right : left]];
  const side = (kind) => parts.filter(([one]) => one === "same" || one === kind).map(([one, text]) => (one === "same" ? text : el(kind === "added" ? "ins" : "del", {}, text)));
  return el(
    "div",
    { class: "pair" },
    el("pre", { class: "older" }, change === "added" ? "" : side("removed")),
    el("pre", { class: "newer" }, change === "removed" ? "" : side("added")),
    cut ? el("p", { class: "dim" }, "Only the beginning is shown.") : null,
  );
}
