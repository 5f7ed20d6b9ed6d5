// Help: the keys, and what each view shows.

import { el } from "../parts/dom.js";

const KEYS = [
  ["← →", "cycle before, cycle after"],
  ["1 … 6", "Tree, Transcript, Compare, Lifelines, Attempts, Ask"],
  ["/", "ask a question"],
  ["t", "to the timeline; there Home, End, Page up and down, + − 0"],
  ["↑ ↓ Enter", "in the tree: from node to node, and open one"],
  ["Esc", "close the node"],
  ["?", "this help"],
];

const POINTER = [
  ["Timeline", "A click goes to a cycle, a drag compares two, the wheel zooms, a double click shows the whole."],
  ["Marks", "A triangle: the prompt's common prefix breaks, and a prompt cache misses. A bar: something expired or was pruned. A cross: an attempt failed."],
  ["Address", "It names store, cycle, view and question: send it to a colleague who has the server."],
];

/// Opens the help.
export function showHelp(dialog) {
  const close = el("button", { type: "button", class: "primary", onclick: () => dialog.close() }, "Close");
  const list = (pairs, tag) => el("dl", {}, pairs.map(([name, text]) => [el("dt", {}, el(tag, {}, name)), el("dd", {}, text)]));
  dialog.setAttribute("aria-label", "Help");
  dialog.replaceChildren(el("h2", {}, "Keys"), list(KEYS, "kbd"), el("h2", {}, "Pointer"), list(POINTER, "strong"), close);
  dialog.showModal();
}
