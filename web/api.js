// Operations of the protocol, sent to the server that the page came from. What is asked in the same moment
// goes in one request. Answers about a committed cycle never change, and the newest of them are kept.

/// How many answers are kept.
const KEPT = 300;

/// An answer that is larger is not kept, in characters.
const LARGEST_KEPT = 500_000;

/// An error with the code of the protocol, or `E_OFFLINE` if the server could not be reached.
export class ApiError extends Error {
  constructor({ code, message, hint, span }) {
    super(message);
    Object.assign(this, { code, hint, span });
  }
}

/// Who asks one store.
export class Api {
  constructor(store) {
    this.path = `/v1/stores/${encodeURIComponent(store)}`;
    this.waiting = [];
    this.kept = new Map();
  }

  /// The `ok` of an operation.
  ask(request) {
    const fixed = isFixed(request);
    const key = fixed ? JSON.stringify(request) : null;
    const known = key && this.kept.get(key);
    if (known) {
      this.kept.delete(key);
      this.kept.set(key, known);
      return known;
    }
    const asked = new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (this.waiting.length === 1) queueMicrotask(() => this.send());
    });
    if (key) this.keep(key, asked);
    return asked;
  }

  /// The same as a request of its own, for what may take long; it ends with the signal.
  async askAlone(request, signal) {
    const text = await post(this.path, request, signal);
    return okOf(JSON.parse(text));
  }

  /// The text of a reply's `ok`, to the byte, and the warnings beside it.
  async askText(request, signal) {
    const text = await post(this.path, request, signal);
    const reply = JSON.parse(text);
    okOf(reply);
    // Inside of a text the quotes would be escaped, so this is where the list begins.
    const end = reply.warnings ? text.lastIndexOf(',"warnings":[') : text.trimEnd().length - 1;
    return { text: text.slice('{"ok":'.length, end), warnings: reply.warnings ?? [] };
  }

  async send() {
    const batch = this.waiting.splice(0);
    try {
      const requests = batch.map(({ request }) => request);
      const replies = JSON.parse(await post(this.path, requests.length === 1 ? requests[0] : requests));
      const list = requests.length === 1 ? [replies] : replies;
      if (!Array.isArray(list)) okOf(list);
      batch.forEach(({ resolve, reject }, index) => {
        try {
          resolve(okOf(list[index]));
        } catch (error) {
          reject(error);
        }
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  keep(key, asked) {
    this.kept.set(key, asked);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    asked.then(
      (ok) => {
        if (JSON.stringify(ok).length > LARGEST_KEPT) this.kept.delete(key);
      },
      () => this.kept.delete(key),
    );
  }
}

/// Whether the answer is the same forever: all that it names are committed cycles.
function isFixed(request) {
  switch (request.op) {
    case "details":
    case "thread":
      return /^@c\d+$/.test(request.at ?? "");
    case "diff":
      return /^@c\d+$/.test(request.a ?? "") && /^@c\d+$/.test(request.b ?? "");
    case "sql":
      return /pact\(\?\)/.test(request.q) && request.params?.every?.((one) => /^@c\d+ /.test(one));
    default:
      return false;
  }
}

/// The names of the stores.
export async function storeNames() {
  const answer = await reach("/v1/stores", {});
  return okOf(await answer.json()).stores;
}

/// Begins a session with a token. The page does not keep it.
export async function signIn(token) {
  const answer = await reach("/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
  if (answer.status !== 204) okOf(await answer.json());
}

async function post(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await reach(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  try {
    return await answer.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw offline();
  }
}

async function reach(path, options) {
  try {
    return await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw offline();
  }
}

function offline() {
  return new ApiError({ code: "E_OFFLINE", message: "The server cannot be reached. The page tries again by itself." });
}

function okOf(reply) {
  if (reply.error) throw new ApiError(reply.error);
  return reply.ok;
}
