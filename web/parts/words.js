// The difference of two texts by words: the longest common subsequence of words and the spaces between them.

/// Texts of more words are compared by lines, and of more lines not at all.
const MOST = 3000;

/// A list of `[kind, text]`, the kind being "same", "removed" or "added".
export function wordDiff(older, newer) {
  for (const pattern of [/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu, /[^\n]*\n|[^\n]+$/g]) {
    const [a, b] = [older.match(pattern) ?? [], newer.match(pattern) ?? []];
    if (a.length <= MOST && b.length <= MOST) return joined(common(a, b));
  }
  return [["removed", older], ["added", newer]];
}

function common(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const parts = a.slice(0, start).map((word) => ["same", word]);
  parts.push(...middle(left, right));
  parts.push(...a.slice(a.length - end).map((word) => ["same", word]));
  return parts;
}

function middle(a, b) {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const here = i * width + j;
      lengths[here] = a[i] === b[j] ? lengths[here + width + 1] + 1 : Math.max(lengths[here + width], lengths[here + 1]);
    }
  }
  const parts = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push(["same", a[i]]);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      parts.push(["removed", a[i]]);
      i += 1;
    } else {
      parts.push(["added", b[j]]);
      j += 1;
    }
  }
  return parts;
}

function joined(parts) {
  const out = [];
  for (const [kind, text] of parts) {
    if (out.at(-1)?.[0] === kind) out.at(-1)[1] += text;
    else out.push([kind, text]);
  }
  return out;
}
