// The timeline on top of every view: the size of the context by cycle and role, with marks where the prompt
// cache misses, something expired or was pruned, or an attempt failed. A click goes to a cycle, a drag
// compares two, the wheel zooms.

import { el } from "../parts/dom.js";
import { moment, number, plural, size } from "../parts/format.js";
import { MARK_KINDS, bucketOf, bucketWidth, drawTimeline, indexOf } from "../parts/chart.js";

/// Pixels for each bucket, at least.
const BUCKET = 3;

/// Whose prefix the marks are about.
const PREFIXES = [
  ["", "thread"],
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
];

/// The fewest cycles that a zoom shows.
const CLOSEST = 8;

export class TimelineView {
  /// `go(at)` shows a cycle, `compare(a, b)` two, `choose(format)` takes another prefix.
  constructor(root, { source, go, compare, choose, format }) {
    Object.assign(this, { source, go, compare, choose, format });
    this.shown = { selected: null, hovered: null, compared: null, dragged: null };
    this.canvas = el("canvas", {
      tabindex: "0",
      role: "slider",
      "aria-label": "Cycle",
      "aria-describedby": "timeline-note",
    });
    this.note = el("p", { id: "timeline-note", class: "timeline-note" }, "loading …");
    this.legend = el("p", { class: "legend" });
    // It stays the same element, so that nobody loses the focus when something new is shown.
    this.prefix = el("select", { onchange: () => this.choose(this.prefix.value) }, PREFIXES.map(([name, label]) => el("option", { value: name }, label)));
    this.unknown = el("span", {});
    const prefix = el("label", { class: "prefix" }, "prefix of ", this.prefix, this.unknown);
    root.replaceChildren(el("div", { class: "timeline-head" }, this.note, el("div", { class: "keys" }, this.legend, prefix)), this.canvas);
    this.listen();
    this.resize = new ResizeObserver(() => this.resized());
    this.resize.observe(this.canvas);
  }

  stop() {
    this.resize.disconnect();
    this.fetching?.abort();
  }

  /// Fetches what the window shows. Cycles that came since are part of it unless it is zoomed.
  async load() {
    this.fetching?.abort();
    this.fetching = new AbortController();
    const buckets = Math.max(10, Math.min(1000, Math.floor((this.canvas.clientWidth || 600) / BUCKET)));
    const window = this.window ?? {};
    try {
      const signal = this.fetching.signal;
      // Tokens and prompts take a while where nobody has asked yet: sizes do not wait for them, and come in
      // wider columns at first.
      if (!this.data) this.show(await this.source.timeline({ ...window, buckets: Math.ceil(buckets / 2) }, signal));
      const more = { tokens: true, format: this.format || undefined };
      this.show(await this.source.timeline({ ...window, buckets, ...more }, signal));
      this.goOn();
    } catch (error) {
      if (error.name === "AbortError") return;
      this.data = null;
      this.note.textContent = error.message;
    }
  }

  show(data) {
    this.data = data;
    if (!this.window) this.whole = [data.from, data.to];
    this.describe();
    this.draw();
  }

  /// Of long prompts only some are compared for one answer: asks again as long as that brings more.
  goOn() {
    const missing = this.notCompared();
    clearTimeout(this.later);
    if (missing > 0 && missing < (this.missing ?? Infinity)) this.later = setTimeout(() => this.load(), 50);
    this.missing = missing;
  }

  notCompared() {
    return this.data.prompts?.breaks.filter((count) => count === null).length ?? 0;
  }

  /// Takes the prefix of another format.
  prefixOf(format) {
    if (format === this.format) return;
    this.format = format;
    this.missing = undefined;
    this.load();
  }

  /// Marks the cycle that is shown, and the one that it is compared with; `newest` is the last there is.
  select(at, compared, newest) {
    this.at = at;
    this.newest = newest;
    this.with = compared ?? null;
    this.describe();
    this.draw();
  }

  /// The cycle before or after one; null is the working state.
  neighbour(at, step) {
    const newest = Math.max(this.whole?.[1] ?? 0, this.newest ?? 0);
    const oldest = this.whole?.[0] ?? 1;
    if (newest === 0) return null;
    if (at === null) return step < 0 ? newest : null;
    if (this.data?.width === 1 && this.data.cycle.includes(at)) {
      const next = this.data.cycle[this.data.cycle.indexOf(at) + step];
      if (next !== undefined) return next;
    }
    const next = at + step;
    return next > newest ? null : Math.max(oldest, next);
  }

  resized() {
    clearTimeout(this.later);
    this.draw();
    this.later = setTimeout(() => this.load(), 150);
  }

  draw() {
    if (!this.data || this.data.cycle.length === 0) return;
    const place = (cycle) => (cycle < this.data.from || cycle > this.data.to ? null : indexOf(this.data, cycle));
    const { hovered, dragged } = this.shown;
    const newest = this.data.to;
    drawTimeline(this.canvas, this.data, {
      hovered,
      dragged,
      selected: this.at === null || this.at === undefined ? place(this.whole?.[1] ?? newest) : place(this.at),
      compared: this.with === null ? null : place(this.with),
    });
  }

  describe() {
    if (!this.data) return;
    this.prefix.value = this.format;
    const unknown = this.notCompared();
    this.unknown.textContent = unknown > 0 ? ` ${plural(unknown, "column")} not compared` : "";
    if (this.data.cycle.length === 0) {
      this.note.textContent = "No cycle is committed yet.";
      this.legend.replaceChildren();
      return;
    }
    const index = this.shown.hovered ?? indexOf(this.data, this.at ?? this.data.to);
    const bucket = bucketOf(this.data, index);
    this.note.replaceChildren(...words(bucket, this.at === null && this.shown.hovered === null));
    this.canvas.setAttribute("aria-valuemin", this.data.from);
    this.canvas.setAttribute("aria-valuemax", this.data.to);
    this.canvas.setAttribute("aria-valuenow", this.at ?? this.data.to);
    this.canvas.setAttribute("aria-valuetext", this.note.textContent);
    const names = this.data.stack.filter((_, row) => this.data.bytes[row].some((value) => value > 0));
    const marks = MARK_KINDS.filter(([name]) => this.data.cycle.some((_, i) => bucketOf(this.data, i)[name] > 0));
    this.legend.replaceChildren(
      ...names.map((name) => el("span", { class: `swatch role-${name}` }, name)),
      ...marks.map(([name, label]) => el("span", { class: `swatch mark-${name}` }, label)),
      this.window ? el("button", { type: "button", class: "small", onclick: () => this.zoomTo(null) }, "whole") : "",
    );
  }

  listen() {
    const canvas = this.canvas;
    const at = (event) => {
      const place = canvas.getBoundingClientRect();
      const index = Math.floor((event.clientX - place.left) / bucketWidth(this.data, place.width));
      return Math.max(0, Math.min(this.data.cycle.length - 1, index));
    };
    const ready = () => this.data && this.data.cycle.length > 0;
    canvas.addEventListener("pointerdown", (event) => {
      if (!ready() || event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.start = at(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!ready()) return;
      this.shown.hovered = at(event);
      if (this.start !== undefined && this.start !== this.shown.hovered) this.shown.dragged = [this.start, this.shown.hovered];
      this.describe();
      this.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!ready() || this.start === undefined) return;
      const [from, to] = [this.start, at(event)].sort((a, b) => a - b);
      this.end();
      if (from === to) this.go(this.data.cycle[to]);
      else this.compare(this.data.cycle[from], this.data.cycle[to]);
    });
    canvas.addEventListener("pointercancel", () => this.end());
    canvas.addEventListener("pointerleave", () => {
      this.shown.hovered = null;
      this.describe();
      this.draw();
    });
    canvas.addEventListener("wheel", (event) => {
      if (!ready() || event.ctrlKey) return;
      event.preventDefault();
      const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (across) this.pan(event.deltaX / canvas.clientWidth);
      else this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.data.cycle[at(event)]);
    }, { passive: false });
    canvas.addEventListener("dblclick", () => this.zoomTo(null));
    canvas.addEventListener("keydown", (event) => {
      if (!ready()) return;
      const centre = this.at ?? this.data.to;
      const keys = {
        Home: () => this.go(this.whole[0]),
        End: () => this.go(null),
        PageUp: () => this.go(this.neighbour(this.at, -10)),
        PageDown: () => this.go(this.neighbour(this.at, 10)),
        "+": () => this.zoom(0.5, centre),
        "-": () => this.zoom(2, centre),
        0: () => this.zoomTo(null),
      };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  end() {
    this.start = undefined;
    this.shown.dragged = null;
    this.draw();
  }

  zoom(factor, centre) {
    if (!this.whole) return;
    const [from, to] = this.window ? [this.window.from, this.window.to] : this.whole;
    const length = Math.round((to - from + 1) * factor);
    const all = this.whole[1] - this.whole[0] + 1;
    if (length >= all) return this.zoomTo(null);
    const share = (centre - from) / Math.max(1, to - from);
    const kept = Math.max(Math.min(CLOSEST, all), length);
    this.zoomTo(Math.round(centre - share * kept), kept);
  }

  pan(share) {
    if (!this.window) return;
    const length = this.window.to - this.window.from + 1;
    this.zoomTo(this.window.from + Math.round(share * length), length);
  }

  zoomTo(from, length) {
    if (from === null) this.window = null;
    else {
      const start = Math.max(this.whole[0], Math.min(from, this.whole[1] - length + 1));
      this.window = { from: start, to: start + length - 1 };
    }
    clearTimeout(this.later);
    this.later = setTimeout(() => this.load(), 40);
  }
}

/// What is said of a bucket.
function words(bucket, isNow) {
  const cycles = bucket.first < bucket.cycle ? `@c${bucket.first} to @c${bucket.cycle}` : `@c${bucket.cycle}`;
  const tokens = bucket.tokens ?? bucket.estimated;
  const said = [
    `${size(bucket.total)}`,
    tokens === null ? null : `${bucket.tokens === null ? "≈ " : ""}${plural(tokens, "token")}`,
    bucket.blocks ? plural(bucket.blocks, "block") : null,
    bucket.came ? `${number(bucket.came)} came` : null,
    bucket.expired ? `${number(bucket.expired)} expired` : null,
    bucket.pruned ? `${number(bucket.pruned)} pruned` : null,
    bucket.removed ? `${number(bucket.removed)} removed` : null,
    bucket.breaks ? `prefix breaks${bucket.kept === null ? "" : `, ${Math.floor(bucket.kept * 100)} % kept`}` : null,
    bucket.failed ? `${plural(bucket.failed, "attempt")} failed` : null,
    bucket.time ? moment(new Date(bucket.time).toISOString()) : null,
  ];
  const name = isNow ? `newest cycle ${cycles}` : cycles;
  return [el("strong", {}, name), ` · ${said.filter((one) => one !== null).join(" · ")}`];
}
