// Numbers, sizes, times and names as people read them.

const whole = new Intl.NumberFormat("en");

/// 12,345
export function number(value) {
  return value === null || value === undefined ? "–" : whole.format(value);
}

/// 1.2 kB
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/// 1 turn, 2 turns
export function plural(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/// 350 ms, 2.1 s, 3 min
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/// 2026-03-02 09:14:02, out of a time in UTC, as the reader's clock has it.
export function moment(iso) {
  const date = new Date(iso);
  if (!iso || Number.isNaN(date.getTime())) return iso || "–";
  const two = (value) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/// 3 min ago
export function ago(iso) {
  const seconds = (Date.now() - new Date(iso).getTime()) / 1000;
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h ago`;
  return `${plural(Math.round(seconds / 86400), "day")} ago`;
}

/// A state as people call it: @c12, or the working state.
export function stateName(at) {
  return at === null ? "now" : `@c${at}`;
}

/// The role by which something is coloured; one of five.
export function roleClass(role) {
  return ["system", "user", "assistant", "tool"].includes(role) ? role : "other";
}

/// A text on one line, not longer than so many characters.
export function oneLine(text, most) {
  const line = String(text ?? "").replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/// An id as selectors write it.
export function idSelector(id) {
  return /^[A-Za-z0-9_:-]+$/.test(id) ? `#${id}` : `#'${id.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
}
