// Completion in the field of questions: what could be typed at the cursor, as a list below the field.

import { el } from "./dom.js";
import { charIndex } from "./question.js";

/// How many candidates are shown.
const SHOWN = 12;

/// Offers what `candidates(text, cursor in bytes)` promises.
export function completeIn(field, list, candidates) {
  const box = { offers: [], span: [0, 0], chosen: -1, asked: 0 };
  const close = () => {
    box.offers = [];
    box.chosen = -1;
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const draw = () => {
    list.hidden = box.offers.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    list.replaceChildren(...box.offers.map((text, i) => el("li", { id: `offer-${i}`, role: "option", "aria-selected": String(i === box.chosen), onpointerdown: (event) => { event.preventDefault(); accept(i); } }, text)));
    if (box.chosen >= 0) field.setAttribute("aria-activedescendant", `offer-${box.chosen}`);
  };
  const accept = (index) => {
    const [from, to] = box.span.map((bytes) => charIndex(field.value, bytes));
    field.setRangeText(box.offers[index], from, to, "end");
    close();
    field.dispatchEvent(new Event("input"));
  };
  const ask = async () => {
    const asked = (box.asked += 1);
    const text = field.value;
    if (text.trim() === "" || field.selectionStart !== field.selectionEnd) return close();
    const cursor = new TextEncoder().encode(text.slice(0, field.selectionStart)).length;
    const found = await candidates(text, cursor).catch(() => null);
    if (asked !== box.asked || document.activeElement !== field) return;
    const typed = found ? text.slice(charIndex(text, found.span[0]), charIndex(text, found.span[1])) : "";
    const useful = (found?.candidates ?? []).filter((one) => one.trim() !== typed.trim());
    if (useful.length === 0) return close();
    Object.assign(box, { offers: useful.slice(0, SHOWN), span: found.span, chosen: -1 });
    draw();
  };
  let later;
  field.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(ask, 90);
  });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      box.chosen = (box.chosen + step + box.offers.length) % box.offers.length;
      draw();
    } else if (event.key === "Tab" && !event.shiftKey) accept(Math.max(0, box.chosen));
    else if (event.key === "Enter" && box.chosen >= 0) accept(box.chosen);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  return { close };
}
