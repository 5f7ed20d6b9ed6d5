// Nodes by cycles: a line for each block from its birth to its end, fetched in pages.

import { choice, el, errorState, stateOf } from "../parts/dom.js";
import { number, oneLine, roleClass, size } from "../parts/format.js";

/// Lines of a page.
const PAGE = 150;

export const lifelinesView = {
  async mount(root, context) {
    const { source, route, state, go } = context;
    const by = route.params.by === "end" ? "end" : "role";
    const selector = route.params.q ?? "";
    const field = el("input", { type: "search", value: selector, placeholder: "which nodes: .cb[role='tool']", "aria-label": "Selector" });
    const form = el("form", { class: "bar" }, source.canAsk ? [field, el("button", { type: "submit" }, "Show")] : null, choice("Colour", [["role", "by role"], ["end", "by end"]], by, (chosen) => go({ params: { by: chosen } })));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      go({ params: { q: field.value.trim() } });
    });
    root.append(form);
    const last = Math.max(1, state.store.cycle);
    const list = el("div", { class: "lives", role: "list" });
    const stopped = new AbortController();
    let next;
    /// Shows the next page; whether there are more.
    const page = async () => {
      const found = await source.lives({ selector, start: next, limit: PAGE, last: state.store.cycle }, stopped.signal);
      next = found.next;
      list.append(...found.lives.map((life) => line(life, last, by, context)));
      return next !== null;
    };
    const end = el("p", { class: "dim", role: "status" }, "loading …");
    const first = firstPage(page, list, selector).then((more) => {
      end.textContent = "";
      return more;
    });
    root.append(legend(by), axis(last), list, end);
    // Of a very long history the first page takes a while; the view is there before it.
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 300))]);
    const loadMore = pager(end, page, first);
    return { shown: () => loadMore.observe(end), follows: () => context.scroller.scrollTop === 0, stop: () => { stopped.abort(); loadMore.disconnect(); } };
  },
};

async function firstPage(page, list, selector) {
  try {
    const more = await page();
    if (!list.hasChildNodes()) list.append(stateOf("No node", selector ? "No block that ever was matches this." : "Nothing was ever stored."));
    return more;
  } catch (error) {
    if (error.name !== "AbortError") list.append(errorState(error));
    return false;
  }
}

/// Loads the next pages while the end of the list is near.
function pager(end, page, first) {
  let busy = false;
  const observer = new IntersectionObserver(async (entries) => {
    // Several changes may be told together: the last one holds.
    if (!entries.at(-1).isIntersecting || busy) return;
    busy = true;
    try {
      if (!(await first)) return observer.disconnect();
      end.textContent = "loading more …";
      if (!(await page())) observer.disconnect();
      else {
        // Said again if the end is still near.
        observer.unobserve(end);
        observer.observe(end);
      }
      end.textContent = "";
    } catch (error) {
      if (error.name !== "AbortError") end.textContent = error.message;
    }
    busy = false;
  }, { rootMargin: "600px 0px" });
  return observer;
}

function line(life, last, by, { href, at }) {
  const from = Math.max(0, Math.min(1, ((life.born ?? 1) - 1) / last));
  const until = life.ended === null ? 1 : Math.min(1, (life.ended - 1) / last);
  const bar = el("span", { class: `bar-line ${by === "end" ? `end-${life.how ?? "alive"}` : `role-${roleClass(life.role)}`}` });
  bar.style.left = `${from * 100}%`;
  bar.style.width = `${Math.max(0.3, (until - from) * 100)}%`;
  const here = at === null ? null : el("span", { class: "here" });
  if (here) here.style.left = `${((at - 0.5) / last) * 100}%`;
  const ended = life.ended === null ? "alive" : `${life.how ?? "gone"} @c${life.ended}`;
  return el(
    "a",
    { class: "life-row", role: "listitem", href: href({ params: { node: life.id } }), title: `${life.id}: @c${life.born}, ${ended}, ${size(life.bytes)}` },
    el("span", { class: "name" }, oneLine(life.id, 24)),
    el("span", { class: "dim who" }, life.role ?? ""),
    el("span", { class: "track" }, here, bar),
    el("span", { class: "dim ended" }, ended),
  );
}

function axis(last) {
  return el("div", { class: "life-row axis", "aria-hidden": "true" }, el("span", { class: "name" }), el("span", { class: "who" }), el("span", { class: "track" }, el("span", {}, "@c1"), el("span", {}, `@c${number(last)}`)), el("span", { class: "ended" }));
}

function legend(by) {
  const names = by === "end" ? ["alive", "expired", "pruned", "cascaded", "removed", "restored"].map((name) => [`end-${name}`, name]) : ["system", "user", "assistant", "tool", "other"].map((name) => [`role-${name}`, name]);
  return el("p", { class: "legend" }, names.map(([kind, name]) => el("span", { class: `swatch ${kind}` }, name)));
}
