// A JSON value as a tree that opens and closes. Numbers that JavaScript cannot hold come as `{raw}`.

import { el } from "./dom.js";
import { plural } from "./format.js";

/// How many items of a list or an object are shown at first.
const AT_ONCE = 200;

/// The value, open to a depth of two.
export function jsonTree(value, depth = 0) {
  if (value === null || typeof value !== "object") return scalar(value);
  if (typeof value.raw === "string" && Object.keys(value).length === 1) return el("span", { class: "json-number" }, value.raw);
  const isList = Array.isArray(value);
  const entries = isList ? value.map((item, index) => [index, item]) : Object.entries(value);
  if (entries.length === 0) return el("span", { class: "dim" }, isList ? "[]" : "{}");
  const list = el("ul", { class: "json" });
  const details = el("details", { class: "json-node" }, el("summary", {}, plural(entries.length, isList ? "item" : "field")), list);
  const show = (from) => {
    const some = entries.slice(from, from + AT_ONCE);
    list.append(...some.map(([name, item]) => el("li", {}, el("span", { class: "json-key" }, String(name)), ": ", jsonTree(item, depth + 1))));
    const left = entries.length - from - some.length;
    if (left <= 0) return;
    const more = el("button", { type: "button", class: "small", onclick: () => { more.parentNode.remove(); show(from + AT_ONCE); } }, `${plural(left, "more item")}`);
    list.append(el("li", {}, more));
  };
  // What is closed is made when it is opened: a large value has many parts.
  const open = () => list.childElementCount === 0 && show(0);
  if (depth < 2) {
    details.open = true;
    open();
  }
  details.addEventListener("toggle", open);
  return details;
}

function scalar(value) {
  if (typeof value === "string") return el("span", { class: "json-text" }, JSON.stringify(value));
  return el("span", { class: "json-number" }, String(value));
}
