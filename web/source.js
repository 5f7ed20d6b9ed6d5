// What the views ask of a store, in the words of the protocol. `embedded.js` answers the same questions from
// data that is inside the page.

import { Api } from "./api.js";

/// The columns of a row of the tree, in the order of `rowOf`.
const COLUMNS =
  "id, parent, nodeType, role, kind, key, bytes, ttl, age, offset, depth, pinned, tags, cycle, attrs";

/// Cycles in which births are looked for at a time, at first.
const WINDOW = 64;

/// Ids that a selector is asked for at a time, at first and at most.
const BLOCK = 600;
const MOST_IDS = 50_000;

/// The columns of a life, in the order of `lifeOf`.
const LIFE = "lives.id, lives.role, lives.type, born, ended, how, lives.bytes";

/// A time address out of a cycle, or of null for the working state.
export function addressOf(at) {
  return at === null ? undefined : `@c${at}`;
}

/// A store behind the server.
export class Source {
  constructor(store) {
    this.store = store;
    this.api = new Api(store);
    this.canAsk = true;
  }

  /// Where the store stands, and how many turns the state has.
  state(at) {
    return this.api.ask({ op: "state", at: addressOf(at) });
  }

  /// Figures of the store.
  stats() {
    return this.api.askAlone({ op: "stats" });
  }

  /// Columns with an item for each bucket of cycles; with a format also where its prompts break.
  timeline({ from, to, buckets, tokens, format }, signal) {
    const bound = (cycle) => (cycle === undefined ? undefined : String(cycle));
    return this.api.askAlone({ op: "timeline", from: bound(from), to: bound(to), buckets, tokens, format }, signal);
  }

  /// Rows of the nodes that a selector finds in a state, in order, each with the first `cut` characters of
  /// its content.
  async rows(at, selector, cut) {
    const prefix = at === null ? "" : `@c${at} `;
    const q = `select ${COLUMNS}, substr(content, 1, ${cut}) from pact(?)`;
    const reply = await this.api.ask({ op: "sql", q, params: [prefix + selector], limit: 20_000 });
    return reply.rows.map(rowOf);
  }

  /// Rows of the turns from one depth to another; 1 is the newest.
  turns(at, newest, oldest, cut) {
    return this.rows(at, `^seq *:depth(${newest}-${oldest})`, cut);
  }

  /// Rows of a region without its turns: `^sys` or `^ah`.
  region(at, name, cut) {
    return this.rows(at, `${name} *`, cut);
  }

  /// What differs between two states, the older one first.
  changes(a, b) {
    return this.api.ask({ op: "diff", a: addressOf(a), b: addressOf(b), rich: true });
  }

  /// Nodes by their ids in a state; null for one that it does not have.
  details(ids, at) {
    return ids.length === 0 ? Promise.resolve([]) : this.api.ask({ op: "details", ids, at: addressOf(at) });
  }

  /// One node with every digit of its numbers, as `{raw}` where JavaScript has none.
  async exactNode(id, at) {
    const { text } = await this.api.askText({ op: "details", ids: [id], at: addressOf(at) });
    return JSON.parse(text, exactNumber)[0];
  }

  /// What happened to a node.
  life(id) {
    return this.api.ask({ op: "life", id, limit: 500 });
  }

  /// From when to when a node lived; null if there never was one.
  async lifespan(id) {
    const q = `select ${LIFE} from lives where id = ?`;
    const reply = await this.api.ask({ op: "sql", q, params: [id] });
    return reply.rows.map(lifeOf)[0] ?? null;
  }

  /// Lives of blocks, oldest first, some at a time: `{lives, next}`, where `next` is where to go on, null at
  /// the end. `last` is the last cycle. Births are looked for in a few cycles at a time, so that a page costs
  /// what it shows.
  async lives({ selector, start, limit, last }, signal) {
    if (selector) return this.livesOf(selector, start, limit, signal);
    const ask = async (params, offset) => {
      const q = `select ${LIFE} from lives where bytes is not null and born between ? and ? order by born, id limit ${limit} offset ${offset}`;
      return (await this.api.askAlone({ op: "sql", q, params }, signal)).rows.map(lifeOf);
    };
    let { from, width, offset } = start ?? { from: 0, width: WINDOW, offset: 0 };
    const found = [];
    while (from <= last + 1) {
      const lives = await ask([from, from + width - 1], offset);
      found.push(...lives);
      if (lives.length === limit) return { lives: found, next: { from, width, offset: offset + limit } };
      [from, offset] = [from + width, 0];
      if (found.length >= limit / 2) return { lives: found, next: from > last + 1 ? null : { from, width, offset } };
      width *= 2;
    }
    return { lives: found, next: null };
  }

  /// The same of the nodes that a selector ever found, those of the newest snapshot first. Their ids are asked
  /// for in blocks that grow, since the server finds those before a block again; lives are of a page alone.
  async livesOf(selector, start, limit, signal) {
    let { ids, met, block } = start ?? { ids: [], met: 0, block: BLOCK };
    if (ids.length < limit && block > 0) {
      const every = selector.trim().startsWith("@") ? selector : `@* ${selector}`;
      const q = `select id from pact(?) limit ${block} offset ${met}`;
      const { rows } = await this.api.askAlone({ op: "sql", q, params: [every], limit: block }, signal);
      ids = [...ids, ...rows.map(([id]) => id)];
      [met, block] = [met + rows.length, rows.length < block ? 0 : Math.min(block * 3, MOST_IDS)];
    }
    const page = ids.slice(0, limit);
    const q = `select ${LIFE} from json_each(?) asked cross join lives on lives.id = asked.value`;
    const { rows } = await this.api.askAlone({ op: "sql", q, params: [JSON.stringify(page)] }, signal);
    const rest = ids.slice(limit);
    return { lives: rows.map(lifeOf), next: rest.length === 0 && block === 0 ? null : { ids: rest, met, block } };
  }

  /// The ids of nodes that refer to a node in a state.
  async referrers(id, at) {
    const prefix = at === null ? "" : `@c${at} `;
    const q = "select p.id from pact(?) p, json_each(p.refs) r where r.value = ? limit 50";
    const reply = await this.api.ask({ op: "sql", q, params: [`${prefix}[refs]`, id] });
    return reply.rows.map(([other]) => other);
  }

  /// The ids of the other half of a call: its result, or the call of a result.
  async callPair(callId, at) {
    const prefix = at === null ? "" : `@c${at} `;
    const quoted = callId.replace(/\\/g, "\\\\").replace(/'/g, "\\'");
    return this.api.ask({ op: "select", q: `${prefix}[data_call_id='${quoted}']` });
  }

  /// What a provider is sent in a state, to the byte.
  thread(at, format, signal) {
    return this.api.askText({ op: "thread", at: addressOf(at), format }, signal);
  }

  /// What it was sent in an attempt.
  threadOfAttempt(attempt, format, signal) {
    return this.api.askText({ op: "thread", attempt, format }, signal);
  }

  /// How much of the threads of two states is the same from the start. Of very long ones that takes long, and
  /// nobody waits for it: then it is an error.
  prefix(a, b, format) {
    return this.api.askAlone({ op: "compare", a: addressOf(a), b: addressOf(b), format, timeout_ms: 1500 });
  }

  /// Calls to providers, the newest first; of one cycle if there is one.
  async attempts(cycle, limit) {
    const where = cycle === undefined ? "" : `where cycle = ${Number(cycle)} `;
    const q = `select attempt_id, cycle, status, provider, model, token_in, token_out, time, seconds, error, thread_format from attempts ${where}order by at_event desc limit ${limit}`;
    const reply = await this.api.ask({ op: "sql", q });
    return reply.rows.map((row) => Object.fromEntries(reply.columns.map(({ name }, i) => [name, row[i]])));
  }

  /// When the newest cycle was committed.
  async lastCommit() {
    const entries = await this.api.askAlone({ op: "log", kind: "commit", newest_first: true, limit: 1 });
    return entries[0]?.time ?? null;
  }
}

function rowOf(row) {
  const [id, parent, type, role, kind, key, bytes, ttl, age, offset, depth, pinned, tags, cycle, attrs, text] = row;
  const custom = attrs ? JSON.parse(attrs) : {};
  return {
    id,
    parent,
    type,
    role,
    kind,
    key,
    bytes,
    ttl,
    age,
    offset,
    depth,
    pinned: pinned === 1,
    tags: tags ? JSON.parse(tags) : [],
    cycle,
    call: custom.data_call_id,
    tool: custom.data_tool_name,
    text,
  };
}

function lifeOf([id, role, type, born, ended, how, bytes]) {
  return { id, role, type, born, ended, how, bytes };
}

function exactNumber(key, value, context) {
  if (typeof value !== "number" || !context) return value;
  return String(value) === context.source ? value : { raw: context.source };
}
