// Calls to providers: how each ended, how long it took, how many tokens went and came.

import { el, stateOf } from "../parts/dom.js";
import { duration, moment, number, oneLine } from "../parts/format.js";

/// How many are shown.
const MOST = 500;

export const attemptsView = {
  async mount(root, { source, href }) {
    const attempts = await source.attempts(undefined, MOST);
    if (attempts.length === 0) {
      root.append(stateOf("No attempt was recorded", "An agent records its calls with the operation attempt, or pactdb attempt."));
      return {};
    }
    const longest = Math.max(...attempts.map((one) => one.seconds ?? 0), 0.001);
    const row = (one) =>
      el(
        "tr",
        { class: one.status },
        el("td", {}, el("a", { href: href({ at: one.cycle, view: "transcript", params: { attempt: one.attempt_id, form: one.thread_format ?? "thread" } }) }, oneLine(one.attempt_id, 30))),
        el("td", { class: "number" }, number(one.cycle)),
        el("td", {}, el("span", { class: `status ${one.status}` }, one.status), one.error ? el("span", { class: "dim" }, ` ${oneLine(one.error, 120)}`) : null),
        el("td", {}, [one.provider, one.model].filter(Boolean).join(" · ")),
        el("td", { class: "number" }, number(one.token_in)),
        el("td", { class: "number" }, number(one.token_out)),
        el("td", { class: "number" }, meter(one.seconds, longest), duration(one.seconds)),
        el("td", {}, moment(one.time)),
      );
    const names = ["attempt", "cycle", "status", "model", "tokens in", "tokens out", "took", "started"];
    root.append(
      attempts.length === MOST ? el("p", { class: "summary" }, `The newest ${number(MOST)}; Ask has them all: select * from attempts`) : "",
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, attempts.map(row)))),
    );
    return {};
  },
};

/// An attempt in a few words.
export function attemptWords({ attempt_id, model, status, token_in, token_out, seconds }) {
  const tokens = token_in === null && token_out === null ? null : `${number(token_in)} → ${number(token_out)} tokens`;
  return [attempt_id, model, status, tokens, seconds === null ? null : duration(seconds)].filter(Boolean).join(" · ");
}

function meter(value, most) {
  const bar = el("span", { class: "meter", "aria-hidden": "true" });
  bar.style.width = `${Math.round((60 * (value ?? 0)) / most)}px`;
  return bar;
}
