// The tree of one state: standing instructions, turns, the head. Turns are loaded as one scrolls. What
// differs from the cycle before is marked.

import { Chunks } from "../parts/chunks.js";
import { el, stateOf } from "../parts/dom.js";
import { followEnd } from "../parts/follow.js";
import { number, oneLine, plural, stateName } from "../parts/format.js";
import { CHANGES, changeMark, changesById, facts, roleChip } from "../parts/row.js";

/// Turns of a piece of the list; the height that a turn probably has; characters of a content.
const TURNS = 20;
const TURN_HEIGHT = 104;
const CUT = 240;

/// Browsers do not lay out boxes of more pixels than some tens of millions.
const MOST_TURNS = 200_000;

export const treeView = {
  async mount(root, context) {
    const { source, at, before, state } = context;
    const turns = Math.min(state.turns ?? 0, MOST_TURNS);
    const marks = { changes: new Map(), href: context.href };
    const load = async (index) => {
      const oldest = turns - index * TURNS;
      const rows = await source.turns(at, Math.max(1, oldest - TURNS + 1), oldest, CUT);
      return rowsOf(rows, marks, 1);
    };
    const count = Math.ceil(turns / TURNS);
    const end = followEnd(context.scroller);
    const chunks = new Chunks({ count, estimate: TURNS * TURN_HEIGHT, load, filled: end.filled });
    const [changes, standing, head] = await Promise.all([
      before === null ? null : source.changes(before, at).catch(() => null),
      source.region(at, "^sys", CUT),
      source.region(at, "^ah", CUT),
    ]);
    if (changes) marks.changes = changesById(changes);
    await chunks.ensure(count - 1);
    const left = (state.turns ?? 0) - turns;
    root.append(
      summary(context, changes),
      el(
        "div",
        { class: "rows", role: "tree", "aria-label": "Nodes" },
        region("^sys", "standing instructions", standing, marks),
        el("div", { class: "row region", role: "treeitem", "aria-level": "1" }, el("span", { class: "name" }, "^seq"), el("span", { class: "text" }, plural(state.turns ?? 0, "turn"))),
        left > 0 ? el("p", { class: "dim" }, `${plural(left, "older turn")} are not listed: ask for them, or go to an older cycle.`) : null,
        chunks.root,
        region("^ah", at === null ? "the turn in progress" : "the head", head, marks),
      ),
      turns === 0 && standing.length === 0 && head.length === 0
        ? stateOf("Nothing is stored yet", "What is added and committed appears here by itself.")
        : "",
    );
    root.addEventListener("keydown", stepThrough);
    return end.view(chunks);
  },
};

/// What changed against the cycle before, in numbers; what went can be opened there.
function summary({ at, before, state, href }, changes) {
  const name = at === null ? "the working state" : stateName(at);
  const edits = state.store.uncommitted;
  if (!changes) return el("p", { class: "summary" }, `${name}`);
  const kinds = [...changesById(changes).values()];
  const counts = Object.keys(CHANGES).map((kind) => {
    const count = kinds.filter((one) => one === kind).length;
    return count > 0 ? el("span", { class: `count ${kind}` }, changeMark(kind), `${number(count)} ${kind}`) : null;
  });
  const gone = changes.removed.slice(0, 12).map((id) => el("a", { class: "gone", href: href({ params: { node: id } }) }, oneLine(id, 30)));
  const more = changes.removed.length - gone.length;
  return el(
    "p",
    { class: "summary" },
    `Against ${stateName(before)}: `,
    counts.some(Boolean) ? counts : "nothing changed",
    gone.length > 0 ? [" · gone: ", gone, more > 0 ? ` and ${number(more)} more` : ""] : null,
    at === null && edits > 0 ? ` · ${plural(edits, "edit")} not committed` : null,
    " ",
    el("a", { href: href({ view: "compare", params: { with: before } }) }, "compare"),
  );
}

function region(name, words, rows, marks) {
  return [
    el("div", { class: "row region", role: "treeitem", "aria-level": "1" }, el("span", { class: "name" }, name), el("span", { class: "text" }, rows.length > 0 ? words : `${words}: empty`)),
    rowsOf(rows, marks, 1),
  ];
}

/// Rows as lines, each as deep as its parents say.
function rowsOf(rows, marks, base) {
  const levels = new Map();
  return rows.map((row) => {
    const level = levels.has(row.parent) ? levels.get(row.parent) + 1 : base;
    levels.set(row.id, level);
    return line(row, level, marks);
  });
}

function line(row, level, { changes, href }) {
  const change = changes.get(row.id);
  const isTurn = row.text === null && level === 1;
  const words = isTurn ? `cycle ${number(row.cycle)}` : oneLine(row.text, 220);
  return el(
    "a",
    {
      class: `row${isTurn ? " turn" : ""}${row.text === null ? " container" : ""}${change ? ` is-${change}` : ""}`,
      href: href({ params: { node: row.id } }),
      role: "treeitem",
      "aria-level": level + 1,
      "data-id": row.id,
    },
    changeMark(change),
    el("span", { class: `indent in${Math.min(level, 6)}` }),
    el("span", { class: "name" }, oneLine(row.id, 28)),
    isTurn && row.depth !== null ? el("span", { class: "fact depth", title: "How many turns back" }, `d${row.depth}`) : null,
    row.offset !== 0 ? el("span", { class: "fact offset", title: "Offset" }, String(row.offset)) : null,
    roleChip(row.role),
    el("span", { class: "text" }, words),
    el("span", { class: "facts" }, facts(row.text === null ? { ...row, age: 0 } : row)),
  );
}

/// Up and down go from row to row.
function stepThrough(event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !event.target.matches(".row")) return;
  const rows = [...event.currentTarget.querySelectorAll("a.row")];
  const next = rows[rows.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
