// What the views show of a node in one line: its role, its kind, how long it will live, what changed.

import { el } from "./dom.js";
import { number, oneLine, roleClass, size } from "./format.js";

/// What a change is called, and its sign.
export const CHANGES = {
  added: ["+", "added"],
  removed: ["−", "removed"],
  changed: ["~", "changed"],
  moved: ["→", "moved"],
};

/// The role as a coloured word.
export function roleChip(role) {
  return role ? el("span", { class: `role role-${roleClass(role)}` }, role) : null;
}

/// The sign of a change.
export function changeMark(change) {
  if (!change) return el("span", { class: "mark", "aria-hidden": "true" });
  const [sign, word] = CHANGES[change];
  return el("span", { class: `mark ${change}`, title: word, role: "img", "aria-label": word }, sign);
}

/// Small words about a node: kind, key, tags, time to live, age, size.
export function facts(row) {
  const ttl = row.ttl === null || row.ttl === undefined ? null : `ttl ${number(row.ttl)}`;
  return [
    row.kind && fact("kind", row.kind),
    row.key && fact("key", `key=${row.key}`),
    row.pinned && fact("pinned", "pinned"),
    (row.tags ?? []).map((tag) => fact("tag", tag)),
    ttl && fact(row.ttl <= 1 ? "ttl soon" : "ttl", ttl, "Cycles that are left to it"),
    row.age > 0 && fact("age", `age ${number(row.age)}`, "Cycles since it was made"),
    row.bytes !== null && row.bytes !== undefined && fact("bytes", size(row.bytes)),
  ];
}

function fact(name, text, title) {
  return el("span", { class: `fact ${name}`, title }, oneLine(text, 40));
}

/// Fields that change by themselves, from cycle to cycle.
export const COUNTS_DOWN = ["ttl"];

/// Fields that say where a node lies.
const PLACE = ["parent", "offset"];

/// What the change of a node is called: it moved if nothing but its place differs, and null if it only
/// counted down.
export function changeKind({ fields }) {
  const told = fields.filter((name) => !COUNTS_DOWN.includes(name));
  if (told.length === 0) return null;
  return told.every((name) => PLACE.includes(name)) ? "moved" : "changed";
}

/// What changed, by id, out of a rich difference. What only counted down is no change.
export function changesById(difference) {
  const changes = new Map();
  for (const id of difference.added) changes.set(id, "added");
  for (const id of difference.removed) changes.set(id, "removed");
  for (const entry of difference.changed) {
    const kind = changeKind(entry);
    if (kind) changes.set(entry.id, kind);
  }
  return changes;
}
