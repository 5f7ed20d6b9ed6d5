// The store of an exported page: the questions of `source.js`, answered from data inside of the page.
//
// The data has the parts of every state that is inside, each once: what lies in a region, and whole turns. A
// state is a list of their numbers. Prompts are kept as what they have in common with the one before, and the
// rest. Only an exported page has this module: it leaves its store behind for `app.js`.

import { ApiError } from "./api.js";

class EmbeddedSource {
  constructor(data) {
    this.data = data;
    this.canAsk = false;
    this.threads = new Map();
  }

  async state(at) {
    const { turns } = this.parts(at);
    return { cycle: at ?? this.data.newest, turns: turns.length, store: this.data.state };
  }

  /// The whole timeline, or the part of it that lies in a window.
  async timeline({ from, to, format }) {
    const all = this.data.timeline;
    const kept = all.cycle.map((cycle) => (from === undefined || cycle >= from) && (to === undefined || cycle <= to));
    const some = (column) => column.filter((_, index) => kept[index]);
    const within = (table) => Object.fromEntries(Object.entries(table).map(([name, value]) => {
      if (name === "bytes") return [name, value.map(some)];
      return [name, Array.isArray(value) && name !== "stack" ? some(value) : value];
    }));
    const prompts = this.data.prompts[format];
    return { ...within(all), prompts: prompts && within(prompts), from: from ?? all.from, to: to ?? all.to };
  }

  async turns(at, newest, oldest, cut) {
    const { turns } = this.parts(at);
    const chosen = turns.slice(turns.length - oldest, turns.length - newest + 1);
    return chosen.flatMap((part, index) => this.rowsOf(part, at, turns.length - (turns.length - oldest + index), cut));
  }

  async region(at, name, cut) {
    const parts = this.parts(at)[name === "^sys" ? "standing" : "head"];
    return parts.flatMap((part) => this.rowsOf(part, at, name === "^sys" ? -1 : 0, cut));
  }

  async changes(a, b) {
    const [older, newer] = [this.nodes(a), this.nodes(b)];
    const changed = [];
    for (const [id, node] of newer) {
      const before = older.get(id);
      if (!before) continue;
      const names = new Set([...Object.keys(before), ...Object.keys(node)]);
      const fields = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(node[name]));
      const delta = Object.fromEntries(fields.map((name) => [name, { from: before[name], to: node[name] }]));
      if (fields.length > 0) changed.push({ id, fields, delta });
    }
    const missing = (from, other) => [...from.keys()].filter((id) => !other.has(id));
    return { added: missing(newer, older), removed: missing(older, newer), changed, moved: [] };
  }

  async details(ids, at) {
    const nodes = this.nodes(at);
    return ids.map((id) => nodes.get(id) ?? null);
  }

  async exactNode(id, at) {
    return this.nodes(at).get(id) ?? null;
  }

  /// What happened to a node; birth and end of one whose life is not inside.
  async life(id) {
    const whole = this.data.moments[id];
    if (whole) return whole;
    const span = await this.lifespan(id);
    if (!span) return [];
    const born = { what: "added", cycle: span.born };
    return span.ended === null ? [born] : [born, { what: span.how ?? "removed", cycle: span.ended }];
  }

  async lifespan(id) {
    return this.data.lives.find((life) => life.id === id) ?? null;
  }

  async lives({ start, limit }) {
    const all = this.data.lives.filter(({ bytes }) => bytes !== null);
    const end = (start ?? 0) + limit;
    return { lives: all.slice(start ?? 0, end), next: end < all.length ? end : null };
  }

  async referrers(id, at) {
    return [...this.nodes(at).values()].filter(({ refs }) => refs?.includes(id)).map((node) => node.id);
  }

  async callPair(callId, at) {
    return [...this.nodes(at).values()].filter((node) => node.data_call_id === callId).map((node) => node.id);
  }

  async thread(at, format) {
    return { text: this.threadText(at ?? this.data.newest, format), warnings: [] };
  }

  async threadOfAttempt() {
    throw new ApiError({ code: "E_NODE_NOT_FOUND", message: "What was sent in an attempt is not part of an exported page." });
  }

  async prefix(a, b, format) {
    const encoder = new TextEncoder();
    const [older, newer] = [a, b].map((at) => encoder.encode(this.threadText(at ?? this.data.newest, format)));
    let common = 0;
    while (common < older.length && common < newer.length && older[common] === newer[common]) common += 1;
    const told = this.data.breaks[b ?? this.data.newest];
    const known = told && told.from === a ? told : { reason: common === newer.length ? "same" : "changed" };
    return { ...known, common_bytes: common, bytes: [older.length, newer.length] };
  }

  async attempts(cycle, limit) {
    return this.data.attempts.filter((one) => cycle === undefined || one.cycle === cycle).slice(0, limit);
  }

  /// The answers that were saved into the page.
  answers() {
    return this.data.answers;
  }

  /// The parts of a state.
  parts(at) {
    const state = this.data.cycles[at ?? this.data.newest];
    if (!state) throw new ApiError({ code: "E_SNAPSHOT_NOT_FOUND", message: `@c${at} is not in this file. ${this.data.note}` });
    const list = (numbers) => numbers.map((number) => this.data.parts[number]);
    return { standing: list(state.standing), turns: list(state.turns), head: list(state.head) };
  }

  /// Every node of a state by its id, with its parent and without its children.
  nodes(at) {
    const { standing, turns, head } = this.parts(at);
    const nodes = new Map();
    const walk = ({ children, ...node }, parent) => {
      nodes.set(node.id, { ...node, parent });
      for (const child of children ?? []) walk(child, node.id);
    };
    for (const part of standing) walk(part, "sys");
    for (const part of turns) walk(part, "seq");
    for (const part of head) walk(part, "ah");
    return nodes;
  }

  rowsOf(part, at, depth, cut) {
    const rows = [];
    const walk = (node, parent) => {
      const text = node.content === undefined ? null : typeof node.content === "string" ? node.content : JSON.stringify(node.content);
      rows.push({
        ...node,
        parent,
        type: node.nodeType,
        text: text === null ? null : text.slice(0, cut),
        bytes: text === null ? null : new TextEncoder().encode(text).length,
        age: (at ?? this.data.newest) - node.cycle,
        depth,
        call: node.data_call_id,
        tool: node.data_tool_name,
      });
      for (const child of node.children ?? []) walk(child, node.id);
    };
    walk(part, null);
    return rows;
  }

  threadText(cycle, format) {
    const key = `${format} ${cycle}`;
    if (!this.threads.has(key)) {
      const kept = this.data.threads[format]?.[cycle];
      if (!kept) throw new ApiError({ code: "E_SNAPSHOT_NOT_FOUND", message: `The prompt of @c${cycle} is not in this file.` });
      const { before, same, rest } = kept;
      const start = before === null ? "" : this.threadText(before, format).slice(0, same);
      this.threads.set(key, start + rest);
    }
    return this.threads.get(key);
  }
}

globalThis.exportedStore = new EmbeddedSource(JSON.parse(document.getElementById("data").textContent));
