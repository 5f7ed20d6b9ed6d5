// Elements out of plain values. Text becomes text nodes, and nothing that is stored is ever read as markup.

/// An element: `el("p", {class: "note", onclick}, "text", child, [more])`. Properties that begin with `on`
/// are listeners; false, null and undefined leave a property or a child out.
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/// The same for SVG.
export function svg(tag, props, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/// A paragraph that says what happened, where a view has nothing else to show.
export function stateOf(title, text, ...more) {
  return el("div", { class: "state" }, el("h2", {}, title), text ? el("p", {}, text) : null, more);
}

/// What went wrong, for whoever reads the page.
export function errorState(error) {
  return el(
    "div",
    { class: "state error", role: "alert" },
    el("h2", {}, error.code ?? "Something went wrong"),
    el("p", {}, error.message),
    error.hint ? el("p", { class: "dim" }, error.hint) : null,
  );
}

/// A button that copies a text, and says so.
export function copyButton(label, text, title) {
  const button = el("button", { type: "button", class: "small", title: title ?? "Copy" }, label);
  button.addEventListener("click", async () => {
    const copied = await copyText(typeof text === "function" ? text() : text);
    button.textContent = copied ? "copied" : "cannot copy here";
    setTimeout(() => (button.textContent = label), 1200);
  });
  return button;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Away from a secure address there is no clipboard: a field that is selected does the same.
    const field = el("textarea", { class: "away", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}

/// Buttons of which one is chosen.
export function choice(label, options, chosen, choose) {
  const buttons = options.map(([value, text]) =>
    el("button", { type: "button", "aria-pressed": String(value === chosen), onclick: () => choose(value) }, text),
  );
  return el("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}
