// The answer to a question: a table, and bars or a line where it is numbers by something.

import { el, svg } from "./dom.js";
import { number, oneLine } from "./format.js";

/// Rows that a table shows; the answer may have more.
const SHOWN = 500;

/// Bars that are drawn at most.
const BARS = 80;

/// Columns and rows of any reply.
export function tableOf(request, ok) {
  if (request.op === "sql") return { columns: ok.columns.map(({ name }) => name), rows: ok.rows, truncated: ok.truncated };
  if (request.op === "nodes") {
    const columns = ["id", "role", "kind", "depth", "ttl", "cycle", "content"];
    return { columns, rows: ok.map((node) => columns.map((name) => node[name] ?? null)), truncated: ok.length >= (request.options?.limit ?? Infinity) };
  }
  return rangeTable(ok);
}

/// What changed from snapshot to snapshot, a row for each change.
function rangeTable(ok) {
  if (Array.isArray(ok)) return { columns: ["id"], rows: ok.map((id) => [id]), truncated: false };
  const rows = [];
  for (const block of ok.diffs ?? []) {
    const cycles = `${block.from.label} / ${block.to.label}`;
    for (const id of block.added_ids) rows.push([cycles, "added", id, null]);
    for (const id of block.removed_ids) rows.push([cycles, "removed", id, null]);
    for (const { id, fields, delta } of block.changed) rows.push([cycles, "changed", id, fields.map((name) => `${name}: ${JSON.stringify(delta?.[name]?.from ?? null)} / ${JSON.stringify(delta?.[name]?.to ?? null)}`).join(", ")]);
  }
  return { columns: ["snapshots", "change", "id", "fields"], rows, truncated: false };
}

/// The table. A cell in a column `id` leads to its node.
export function resultTable({ columns, rows }, href) {
  const isNumber = columns.map((_, i) => rows.some((row) => typeof row[i] === "number"));
  const cell = (value, i) => {
    if (value === null) return el("td", { class: "null" }, "–");
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    if (columns[i] === "id" || columns[i].endsWith("_id")) return el("td", {}, el("a", { href: href({ params: { node: text } }) }, oneLine(text, 60)));
    return el("td", { class: isNumber[i] ? "number" : null, title: text.length > 160 ? oneLine(text, 600) : null }, typeof value === "number" && Number.isInteger(value) ? number(value) : oneLine(text, 160));
  };
  const body = rows.slice(0, SHOWN).map((row) => el("tr", {}, row.map(cell)));
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answer" },
    el("table", {}, el("thead", {}, el("tr", {}, columns.map((name, i) => el("th", { scope: "col", class: isNumber[i] ? "number" : null }, name)))), el("tbody", {}, body)),
    rows.length > SHOWN ? el("p", { class: "dim" }, `${number(SHOWN)} of ${number(rows.length)} rows are shown; copies have all of them.`) : null,
  );
}

/// A picture of the numbers by the first column; null if there is nothing to draw.
export function resultChart({ columns, rows }) {
  if (columns.length < 2 || rows.length < 2) return null;
  const numeric = (i) => rows.every((row) => row[i] === null || typeof row[i] === "number") && rows.some((row) => typeof row[i] === "number");
  const value = columns.findIndex((name, i) => i > 0 && numeric(i) && !["depth", "ttl", "cycle"].includes(name));
  if (value < 0) return null;
  const rising = numeric(0) && rows.every((row, i) => i === 0 || row[0] > rows[i - 1][0]);
  return rising ? lineChart(rows, value, columns) : rows.length <= BARS ? barChart(rows, value, columns) : null;
}

function barChart(rows, value, columns) {
  const most = Math.max(...rows.map((row) => row[value] ?? 0), 1e-9);
  const bars = rows.map((row) => {
    const bar = el("span", { class: "bar-fill" });
    bar.style.width = `${Math.max(0, (100 * (row[value] ?? 0)) / most)}%`;
    return el("div", { class: "bar-row" }, el("span", { class: "bar-name" }, oneLine(row[0] ?? "–", 40)), el("span", { class: "bar-track" }, bar), el("span", { class: "number" }, number(row[value])));
  });
  return el("div", { class: "bars", role: "img", "aria-label": `${columns[value]} by ${columns[0]}` }, bars);
}

function lineChart(rows, value, columns) {
  const [width, height] = [800, 160];
  const [first, last] = [rows[0][0], rows.at(-1)[0]];
  const most = Math.max(...rows.map((row) => row[value] ?? 0), 1e-9);
  const points = rows.map((row) => `${((width * (row[0] - first)) / (last - first)).toFixed(1)},${(height - (height * (row[value] ?? 0)) / most).toFixed(1)}`);
  return el(
    "figure",
    { class: "line" },
    el("figcaption", { class: "dim" }, `${columns[value]} by ${columns[0]}; greatest ${number(most)}`),
    svg("svg", { viewBox: `0 -4 ${width} ${height + 8}`, preserveAspectRatio: "none", role: "img", "aria-label": `${columns[value]} by ${columns[0]}` }, svg("polyline", { points: points.join(" "), "vector-effect": "non-scaling-stroke" })),
    el("p", { class: "ends dim" }, el("span", {}, number(first)), el("span", {}, number(last))),
  );
}
