// The address of what is shown: #/STORE/c12/VIEW?node=…&with=…&q=… — everything that a colleague needs to
// see the same. Knows nothing of stores and views.

/// The parts of an address. `at` is a cycle, or null for the working state.
export function parseRoute(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").map(decode);
  const cycle = /^c(\d+)$/.exec(parts[1] ?? "");
  return {
    store: parts[0] || null,
    at: cycle ? Number(cycle[1]) : null,
    view: parts[2] || "tree",
    params: Object.fromEntries(new URLSearchParams(query ?? "")),
  };
}

/// The address of a route.
export function hrefOf({ store, at, view, params }) {
  if (!store) return "#/";
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const tail = query.toString();
  const place = at === null || at === undefined ? "now" : `c${at}`;
  return `#/${encodeURIComponent(store)}/${place}/${view ?? "tree"}${tail ? `?${tail}` : ""}`;
}

/// Goes there; `replace` leaves no step for the back button.
export function goTo(route, replace = false) {
  const href = hrefOf(route);
  if (href === location.hash) return;
  if (replace) {
    history.replaceState(null, "", href);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = href;
  }
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
