// What is typed into Ask: which operation it is, and how its text goes into other forms.

/// The request of a question. A selector without a time is asked where the page is; `shift` says by how many
/// bytes that moves what an error points to.
export function requestOf(text, at, limit) {
  const question = text.trim();
  const lead = text.length - text.trimStart().length;
  const timed = /^(@|each\b)/i.test(question);
  const prefix = at === null || timed || isSql(question) ? "" : `@c${at} `;
  const q = prefix + question;
  const shift = prefix.length - lead;
  if (isSql(question) || hasStages(question)) return { request: { op: "sql", q, limit }, shift };
  if (/^@\S*\.\./.test(question)) return { request: { op: "select", q, options: { maxSnapshots: 50, includeContent: true } }, shift };
  return { request: { op: "nodes", q, options: { limit } }, shift };
}

/// Whether it begins like a statement of SQL.
export function isSql(text) {
  return /^\s*(select|with)\b/i.test(text);
}

/// Whether a lone `|` stands outside of quotes and brackets, or it goes through each snapshot.
function hasStages(text) {
  if (/^\s*each\b/i.test(text)) return true;
  let depth = 0;
  let quote = null;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (quote) {
      if (sign === "\\") i += 1;
      else if (sign === quote) quote = null;
    } else if (sign === "'" || sign === '"') quote = sign;
    else if ("[({".includes(sign)) depth += 1;
    else if ("])}".includes(sign)) depth -= 1;
    else if (sign === "|" && depth === 0 && text[i + 1] !== "|" && text[i - 1] !== "|") return true;
  }
  return false;
}

/// The place in a text of a place in its bytes.
export function charIndex(text, bytes) {
  const encoder = new TextEncoder();
  let seen = 0;
  for (let i = 0; i < text.length; ) {
    if (seen >= bytes) return i;
    const letter = String.fromCodePoint(text.codePointAt(i));
    seen += encoder.encode(letter).length;
    i += letter.length;
  }
  return text.length;
}

/// The line that an error points into, and a line with carets below it.
export function caretLines(text, [from, to], shift) {
  const start = charIndex(text, Math.max(0, from - shift));
  const end = Math.max(start + 1, charIndex(text, Math.max(0, to - shift)));
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const newLine = text.indexOf("\n", start);
  const lineEnd = newLine < 0 ? text.length : newLine;
  const carets = "^".repeat(Math.max(1, Math.min(end, lineEnd) - start));
  return `${text.slice(lineStart, lineEnd)}\n${" ".repeat(start - lineStart)}${carets}`;
}

/// Rows as CSV. A cell that a spreadsheet would take for a formula is quoted as a text.
export function csvOf(columns, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const safe = /^[=+@\t\r]/.test(text) || (/^-/.test(text) && typeof value === "string") ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n");
}

/// A command that asks the same from a shell.
export function curlOf(store, request) {
  const body = JSON.stringify(request).replace(/'/g, "'\\''");
  return `curl -H "Authorization: Bearer $PACTDB_TOKEN" '${location.origin}/v1/stores/${encodeURIComponent(store)}' -d '${body}'`;
}
