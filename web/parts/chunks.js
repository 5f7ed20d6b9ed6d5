// A long list that is loaded piece by piece as one scrolls: each piece is a box of the height that it will
// probably have, filled when it comes near, emptied when it is far away.

import { el, errorState } from "./dom.js";

/// How far from what is seen a piece is loaded, in pixels.
const NEAR = 900;

/// How many pieces stay filled.
const FILLED = 24;

/// A list of `count` pieces. `load(index)` promises the nodes of one.
export class Chunks {
  constructor({ count, estimate, load, filled }) {
    this.load = load;
    this.filled = [];
    this.onFilled = filled ?? (() => {});
    this.boxes = Array.from({ length: count }, () => {
      const box = el("div", { class: "chunk", role: "presentation" });
      box.style.height = `${estimate}px`;
      return box;
    });
    this.root = el("div", { class: "chunks", role: "presentation" }, this.boxes);
    this.index = new Map(this.boxes.map((box, index) => [box, index]));
    this.loading = new Map();
  }

  /// Loads one piece now; resolves when it is there.
  async ensure(index) {
    if (index < 0 || index >= this.boxes.length) return;
    await this.fill(this.boxes[index]);
  }

  /// Begins to load what comes near in a scrolling element.
  observe(scroller) {
    const options = { root: scroller, rootMargin: `${NEAR}px 0px` };
    this.observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) this.fill(target);
    }, options);
    for (const box of this.boxes) this.observer.observe(box);
  }

  stop() {
    this.observer?.disconnect();
    this.stopped = true;
  }

  fill(box) {
    if (this.filled.includes(box)) return Promise.resolve();
    if (!this.loading.has(box)) this.loading.set(box, this.fillNow(box).finally(() => this.loading.delete(box)));
    return this.loading.get(box);
  }

  async fillNow(box) {
    let nodes;
    try {
      nodes = await this.load(this.index.get(box));
    } catch (error) {
      nodes = [errorState(error)];
    }
    if (this.stopped) return;
    box.replaceChildren(...nodes);
    box.style.height = "";
    this.filled.push(box);
    if (this.filled.length > FILLED) this.empty(this.filled.shift());
    this.onFilled();
  }

  empty(box) {
    const near = this.isNear(box) || box.contains(document.activeElement);
    if (near) {
      this.filled.push(box);
      return;
    }
    box.style.height = `${box.offsetHeight}px`;
    box.replaceChildren();
  }

  isNear(box) {
    const place = box.getBoundingClientRect();
    return place.bottom > -2 * NEAR && place.top < innerHeight + 2 * NEAR;
  }
}
