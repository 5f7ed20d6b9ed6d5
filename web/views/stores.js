// All stores of the server: size, cycles, last commit, and a small picture of how the context grew.

import { storeNames } from "../api.js";
import { hrefOf } from "../route.js";
import { Source } from "../source.js";
import { el, stateOf, svg } from "../parts/dom.js";
import { ago, moment, number, size } from "../parts/format.js";

export const storesView = {
  async mount(main, { go, isCurrent }) {
    const names = await storeNames();
    if (!isCurrent()) return;
    if (names.length === 1 && !sessionStorage.getItem("seen-stores")) {
      sessionStorage.setItem("seen-stores", "1");
      return go({ store: names[0], at: null, view: "tree", params: {} });
    }
    if (names.length === 0) {
      main.replaceChildren(stateOf("There is no store yet", "A store appears here when its file lies in the folder that is served."));
      return;
    }
    const rows = names.map((name) => el("tr", { "data-store": name }, el("th", { scope: "row" }, el("a", { href: hrefOf({ store: name, at: null }) }, name)), Array.from({ length: 5 }, () => el("td", { class: "number" }, "…"))));
    const filter = el("input", { type: "search", placeholder: "filter", "aria-label": "Filter by name" });
    filter.addEventListener("input", () => rows.forEach((row) => (row.hidden = !row.dataset.store.includes(filter.value))));
    const head = ["store", "size", "cycles", "turns", "last commit", "context"].map((name) => el("th", { scope: "col" }, name));
    main.replaceChildren(
      el("div", { class: "view stores" }, names.length > 8 ? el("div", { class: "bar" }, filter) : null, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)))),
    );
    // A store is opened to be measured, so only those that are seen are asked.
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        measure(target);
      }
    });
    rows.forEach((row) => observer.observe(row));
  },
};

async function measure(row) {
  const source = new Source(row.dataset.store);
  const cells = [...row.querySelectorAll("td")];
  try {
    const [stats, last, timeline] = await Promise.all([source.stats(), source.lastCommit(), source.timeline({ buckets: 60 })]);
    cells[0].textContent = size(stats.file_bytes);
    cells[1].textContent = number(stats.snapshots);
    cells[2].textContent = number(stats.turns);
    cells[3].replaceChildren(last ? el("span", { title: moment(last) }, ago(last)) : "never");
    cells[4].replaceChildren(sparkLine(timeline));
  } catch (error) {
    cells.forEach((cell) => (cell.textContent = ""));
    cells[0].textContent = error.code ?? "error";
    row.title = error.message;
  }
}

function sparkLine(data) {
  const totals = data.cycle.map((_, index) => data.bytes.reduce((sum, column) => sum + column[index], 0));
  const most = Math.max(1, ...totals);
  const points = totals.map((total, index) => `${(120 * index) / Math.max(1, totals.length - 1)},${23 - (22 * total) / most}`);
  const words = totals.length > 0 ? `the context has ${size(totals.at(-1))}, at most ${size(most)}` : "no cycle";
  return svg("svg", { viewBox: "0 0 120 24", class: "spark", role: "img", "aria-label": words }, svg("polyline", { points: points.join(" ") }));
}
