// Starts the page: the frame around the views, the address, the keys, live updates. Each view is a module
// with `mount(root, context)`, which promises to be ready to be looked at.

import { signIn } from "./api.js";
import { goTo, hrefOf, parseRoute } from "./route.js";
import { Source } from "./source.js";
import { Watch } from "./watch.js";
import { copyButton, el, errorState, stateOf } from "./parts/dom.js";
import { plural, stateName } from "./parts/format.js";
import { askView } from "./views/ask.js";
import { attemptsView } from "./views/attempts.js";
import { compareView } from "./views/compare.js";
import { showHelp } from "./views/help.js";
import { lifelinesView } from "./views/lifelines.js";
import { nodePanel } from "./views/node.js";
import { storesView } from "./views/stores.js";
import { TimelineView } from "./views/timeline.js";
import { transcriptView } from "./views/transcript.js";
import { treeView } from "./views/tree.js";

const VIEWS = [
  ["tree", "Tree", treeView],
  ["transcript", "Transcript", transcriptView],
  ["compare", "Compare", compareView],
  ["lifelines", "Lifelines", lifelinesView],
  ["attempts", "Attempts", attemptsView],
  ["ask", "Ask", askView],
];

const part = (id) => document.getElementById(id);

/// The data of an exported page; null if the page came from a server.
const embedded = globalThis.exportedStore?.data ?? null;

/// What is shown: the store that is open, and the view that is mounted.
const page = { store: null, source: null, timeline: null, watch: null, view: null, route: null, mounted: null, newest: null };

start();

function start() {
  addEventListener("hashchange", () => show());
  addEventListener("keydown", onKey);
  part("help").addEventListener("click", () => showHelp(part("dialog")));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    part("main").focus();
  });
  if (embedded && !parseRoute(location.hash).store) {
    return goTo({ store: embedded.store, at: embedded.newest, view: "tree", params: {} }, true);
  }
  if (location.search === "?refused") {
    history.replaceState(null, "", `/${location.hash}`);
    signInForm("The token in the address is not known, or was used up.");
  } else {
    show();
  }
}

/// Shows what the address says.
async function show() {
  const route = parseRoute(location.hash);
  // An exported page has cycles and no working state.
  if (embedded && route.at === null) route.at = embedded.newest;
  page.route = route;
  if (!route.store) return showStores(route);
  try {
    if (route.store !== page.store) await openStore(route.store);
    const state = await page.source.state(route.at);
    if (page.route !== route) return;
    // Whoever looks at the past is told of what came since it was opened.
    if (page.newest === null || route.at === null) page.newest = state.store;
    page.state = state;
    frame(route);
    if (!sameView(page.mounted, route)) await mountView(route, state);
    if (page.route === route) await showPanel(route);
  } catch (error) {
    if (page.route === route) failed(error);
  }
}

/// Whether only the panel beside the view differs.
function sameView(a, b) {
  const rest = ({ node, prefix, ...params }) => JSON.stringify(params);
  return page.view && a && a.store === b.store && a.at === b.at && a.view === b.view && rest(a.params) === rest(b.params);
}

async function openStore(store) {
  closeStore();
  page.store = store;
  page.source = embedded ? globalThis.exportedStore : new Source(store);
  page.timeline = new TimelineView(part("timeline"), {
    source: page.source,
    go: (at) => go({ at }),
    compare: (a, b) => go({ at: b, view: "compare", params: { with: a } }),
    choose: (prefix) => go({ params: { prefix } }),
    format: page.route.params.prefix ?? "",
  });
  part("timeline").hidden = false;
  part("tabs").hidden = false;
  const loaded = page.timeline.load();
  if (embedded) return loaded.then(() => status("", `exported · ${embedded.note}`));
  page.watch = new Watch(store, { changed: () => changed(store), state: (state) => connection(state) });
}

function closeStore() {
  page.watch?.stop();
  page.timeline?.stop();
  page.view?.stop?.();
  Object.assign(page, { store: null, source: null, timeline: null, watch: null, view: null, newest: null, latest: null, failed: null });
  part("timeline").hidden = true;
  part("tabs").hidden = true;
  part("panel").hidden = true;
  part("place").replaceChildren();
}

async function showStores(route) {
  if (embedded) return goTo({ store: embedded.store, at: embedded.newest, view: "tree", params: {} }, true);
  closeStore();
  document.title = "pactdb";
  part("title").textContent = "Stores";
  status("", "");
  try {
    await storesView.mount(part("main"), { go: (only) => goTo(only, true), isCurrent: () => page.route === route });
  } catch (error) {
    if (page.route === route) failed(error);
  }
}

/// The parts around the view.
function frame(route) {
  document.title = `${route.store} ${stateName(route.at)} · pactdb`;
  part("title").textContent = route.store;
  const compared = route.view === "compare" && /^\d+$/.test(route.params.with ?? "") ? Number(route.params.with) : null;
  page.timeline.prefixOf(route.params.prefix ?? "");
  page.timeline.select(route.at, compared, page.state.store.cycle);
  const link = (at) => hrefOf({ ...route, at });
  const [before, after] = [page.timeline.neighbour(route.at, -1), page.timeline.neighbour(route.at, 1)];
  part("place").replaceChildren(
    el("a", { class: "step", href: link(before), "aria-label": "Cycle before", title: "Cycle before (←)" }, "‹"),
    el("span", { class: "at" }, route.at === null ? "working state" : stateName(route.at)),
    el("a", { class: "step", href: link(after), "aria-label": "Cycle after", title: "Cycle after (→)" }, "›"),
    route.at === null ? "" : el("a", { class: "step wide", href: link(null), title: "To the working state (End)" }, "now"),
    copyButton("link", () => location.href, "Copy the address of this view"),
  );
  part("tabs").replaceChildren(
    ...VIEWS.map(([name, label]) => {
      const params = name === route.view ? route.params : lasting(route);
      const current = name === route.view ? "page" : null;
      return el("a", { href: hrefOf({ ...route, view: name, params }), "aria-current": current }, label);
    }),
    newer(route),
  );
}

/// Says how many cycles came since, to whoever looks at something older.
function newer(route) {
  const count = (page.latest?.cycle ?? 0) - (page.newest?.cycle ?? 0);
  const edits = page.latest && page.newest && page.latest.events !== page.newest.events;
  if (count <= 0 && !(edits && route.at === null)) return "";
  const text = count > 0 ? `${plural(count, "newer cycle")}` : "newer edits";
  return el("button", { type: "button", class: "pill", id: "newer", onclick: () => jumpToNewest(route) }, text);
}

function jumpToNewest(route) {
  page.newest = null;
  if (route.at === null) refresh();
  else go({ at: null });
}

async function mountView(route, state) {
  const known = VIEWS.find(([name]) => name === route.view);
  const root = el("div", { class: `view ${route.view}` });
  const main = part("main");
  const context = {
    route,
    state,
    source: page.source,
    at: route.at,
    before: before(route.at, state),
    scroller: main,
    go,
    href: (change) => hrefOf(routeWith(route, change)),
  };
  main.setAttribute("aria-busy", "true");
  const stale = setTimeout(() => main.classList.add("stale"), 150);
  let view;
  try {
    view = known ? await known[2].mount(root, context) : null;
  } catch (error) {
    root.append(errorState(error));
    if (error.code === "E_UNAUTHORIZED" || error.code === "E_OFFLINE") throw error;
  } finally {
    clearTimeout(stale);
    main.classList.remove("stale");
    main.removeAttribute("aria-busy");
  }
  if (page.route !== route) return view?.stop?.();
  if (!known) root.append(stateOf("There is no such view", "The address names a view that the page does not have."));
  const name = `${route.view} ${route.params.form ?? ""}`;
  const kept = page.view?.name === name ? main.scrollTop : 0;
  const focused = main.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
  page.view?.stop?.();
  page.view = view ?? {};
  page.view.name = name;
  main.replaceChildren(root);
  main.scrollTop = kept;
  main.dataset.shown = hrefOf({ ...route, params: {} });
  page.mounted = route;
  page.view.shown?.();
  // Whoever goes through the tree by keys stays where he was.
  if (focused) root.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

/// The state that a state is compared with: the cycle before, or the newest cycle for the working state.
function before(at, state) {
  if (at === null) return state.store.cycle > 0 ? state.store.cycle : null;
  const cycle = page.timeline.neighbour(at, -1);
  return cycle === null || cycle >= at || cycle < 1 ? null : cycle;
}

/// The parameters that do not belong to one view.
function lasting({ params: { node, prefix } }) {
  return { node, prefix };
}

/// The route with another cycle, view or parameters. What a view asks with belongs to that view, and an
/// attempt to its cycle.
function routeWith(route, change) {
  const elsewhere = change.view !== undefined && change.view !== route.view;
  const kept = elsewhere ? lasting(route) : { ...route.params };
  if (change.at !== undefined && change.at !== route.at) delete kept.attempt;
  return { ...route, ...change, params: { ...kept, ...change.params } };
}

function go(change) {
  goTo(routeWith(page.route, change));
}

async function showPanel(route) {
  const panel = part("panel");
  const id = route.params.node;
  panel.hidden = !id;
  document.body.classList.toggle("with-panel", Boolean(id));
  if (!id) return panel.replaceChildren();
  if (panel.dataset.key === `${route.store} ${route.at} ${id}` && panel.firstChild) return;
  panel.dataset.key = `${route.store} ${route.at} ${id}`;
  const close = () => go({ params: { node: undefined } });
  await nodePanel(panel, { id, at: route.at, source: page.source, close, go, href: (change) => hrefOf(routeWith(page.route, change)) });
}

/// Something happened in the store, or the connection is back.
async function changed(store) {
  if (page.store !== store) return;
  const route = page.route;
  try {
    const { store: latest } = await page.source.state(null);
    if (page.store !== store || page.route !== route) return;
    const same = page.latest?.events === latest.events && page.latest?.cycle === latest.cycle;
    page.latest = latest;
    if (page.failed) return recovered();
    if (same) return frame(route);
    await page.timeline.load();
    // Whoever reads further up, or the past, is not moved: a button says that there is more.
    if (route.at === null && (page.view?.follows?.() ?? true)) await refresh();
    else frame(page.route);
  } catch (error) {
    if (page.store === store) failed(error);
  }
}

/// Shows the same again, with what is new.
async function refresh() {
  page.newest = null;
  const route = { ...page.route };
  page.route = route;
  const state = await page.source.state(route.at);
  if (page.route !== route) return;
  page.newest = page.latest = state.store;
  page.state = state;
  frame(route);
  await mountView(route, state);
  if (route.params.node) {
    delete part("panel").dataset.key;
    await showPanel(route);
  }
}

function connection(state) {
  const words = { live: "live", lost: "connection lost, trying again", paused: "paused" };
  status(state, words[state]);
}

function status(state, text) {
  const place = part("status");
  place.className = state;
  if (place.textContent !== text) place.textContent = text;
}

/// Each thing that can go wrong has words, and goes on by itself where it can.
function failed(error) {
  if (error.code === "E_UNAUTHORIZED") return signInForm();
  page.failed = error.code;
  const main = part("main");
  page.view?.stop?.();
  page.view = null;
  delete main.dataset.shown;
  if (error.code === "E_STORE_NOT_FOUND") {
    const link = el("a", { href: "#/" }, "See which stores there are");
    main.replaceChildren(stateOf("The store is not there", "It was moved or removed. If it comes back, this page goes on by itself.", link));
  } else if (error.code === "E_SNAPSHOT_NOT_FOUND") {
    const link = el("a", { href: hrefOf({ ...page.route, at: null }) }, "Go to the working state");
    main.replaceChildren(stateOf("There is no such cycle", error.message, link));
  } else if (error.code === "E_PRUNED") {
    const link = el("a", { href: hrefOf({ ...page.route, at: null }) }, "Go to the working state");
    main.replaceChildren(stateOf("This is not kept any more", error.message, link));
  } else {
    main.replaceChildren(errorState(error));
  }
  if (["E_OFFLINE", "E_STORE_NOT_FOUND", "E_STORE_GONE", "E_BUSY"].includes(error.code)) {
    clearTimeout(page.again);
    page.again = setTimeout(() => page.failed && recovered(), 2000);
  }
}

function recovered() {
  page.failed = null;
  page.timeline?.load();
  show();
}

function signInForm(reason) {
  closeStore();
  page.route = null;
  part("title").textContent = "";
  status("", "");
  const field = el("input", { type: "password", name: "token", id: "token", autocomplete: "off", required: true });
  const note = el("p", { class: "dim", role: "alert" }, reason ?? "");
  const form = el(
    "form",
    { class: "state" },
    el("h2", {}, "A token is needed"),
    el("p", {}, "The server printed an address with a token when it was started, or has a file of tokens."),
    el("label", { for: "token" }, "Token"),
    el("div", { class: "field" }, field, el("button", { type: "submit", class: "primary" }, "Open")),
    note,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await signIn(field.value.trim());
      show();
    } catch (error) {
      note.textContent = error.message;
    }
  });
  part("main").replaceChildren(form);
  field.focus();
}

function onKey(event) {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && !part("dialog").open && page.route?.params?.node) {
    return go({ params: { node: undefined } });
  }
  if (typing || part("dialog").open) return;
  if (event.key === "?") return showHelp(part("dialog"));
  if (!page.store) return;
  const numbered = VIEWS[Number(event.key) - 1];
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const at = page.timeline.neighbour(page.route.at, event.key === "ArrowLeft" ? -1 : 1);
    event.preventDefault();
    go({ at });
  } else if (event.key === "/") {
    event.preventDefault();
    if (page.route.view === "ask") part("main").querySelector("textarea")?.focus();
    else go({ view: "ask" });
  } else if (event.key === "t") {
    part("timeline").querySelector("canvas")?.focus();
  } else if (numbered && event.target.tagName !== "CANVAS") {
    go({ view: numbered[0] });
  }
}
