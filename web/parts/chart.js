// Draws a timeline on a canvas: bars stacked by role, marks below them, a cursor. Only draws: what is
// fetched and what a click means is in `views/timeline.js`.

import { size } from "./format.js";

/// Room for the marks below the bars, and for the axis above them.
const MARKS = 22;
const HEAD = 14;

/// The widest bar: a few cycles are no wall.
const WIDEST = 56;

/// The kinds of marks, in the order of their rows; each has a shape of its own beside its colour.
export const MARK_KINDS = [
  ["breaks", "prefix break"],
  ["gone", "expired or pruned"],
  ["failed", "failed attempt"],
];

/// What a bucket has, by index.
export function bucketOf(data, index) {
  const count = (name) => data[name]?.[index] ?? 0;
  // Of a provider's prompts, if one was chosen.
  const prefix = data.prompts ?? data;
  const broken = (name) => prefix[name]?.[index] ?? 0;
  return {
    first: index === 0 ? data.from : data.cycle[index - 1] + 1,
    cycle: data.cycle[index],
    total: data.bytes.reduce((sum, column) => sum + column[index], 0),
    parts: data.stack.map((name, row) => [name, data.bytes[row][index]]),
    greatest: count("greatest"),
    blocks: count("blocks"),
    tokens: data.tokens?.[index] ?? null,
    estimated: data.estimated_tokens?.[index] ?? null,
    time: data.time_ms?.[index],
    came: count("came"),
    removed: count("removed"),
    expired: count("expired") + count("cascaded"),
    pruned: count("pruned"),
    breaks: broken("breaks"),
    kept: broken("kept_of") > 0 ? broken("kept_bytes") / broken("kept_of") : null,
    gone: count("expired") + count("cascaded") + count("pruned"),
    failed: count("failed"),
  };
}

/// The bucket that holds a cycle; the last one if there is none.
export function indexOf(data, cycle) {
  let [low, high] = [0, data.cycle.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data.cycle[middle] < cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// How wide a bucket is, in pixels.
export function bucketWidth(data, width) {
  return Math.min(WIDEST, width / Math.max(1, data.cycle.length));
}

/// Where the bucket at an index lies, in pixels.
function spanOf(data, index, width) {
  const each = bucketWidth(data, width);
  return [index * each, (index + 1) * each];
}

/// Draws everything.
export function drawTimeline(canvas, data, { selected, hovered, compared, dragged }) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const floor = height - MARKS;
  const most = Math.max(1, ...data.greatest ?? [], ...totals(data));
  drawGrid(pen, { width, floor, most, colour });
  for (let index = 0; index < data.cycle.length; index += 1) {
    drawBar(pen, data, index, { width, floor, most, colour });
  }
  drawMarks(pen, data, { width, floor, colour });
  if (dragged) shade(pen, data, dragged, { width, height, colour: colour("accent"), alpha: 0.18 });
  if (hovered !== null) shade(pen, data, [hovered, hovered], { width, height, colour: colour("text"), alpha: 0.08 });
  if (compared !== null) cursor(pen, data, compared, { width, height, colour: colour("dim"), dashed: true });
  if (selected !== null) cursor(pen, data, selected, { width, height, colour: colour("accent") });
}

function totals(data) {
  return data.cycle.map((_, index) => data.bytes.reduce((sum, column) => sum + column[index], 0));
}

function drawGrid(pen, { width, floor, most, colour }) {
  pen.fillStyle = colour("line");
  pen.fillRect(0, floor, width, 1);
  pen.fillRect(0, HEAD, width, 1);
  pen.fillStyle = colour("dim");
  pen.font = "10px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillText(size(most), 2, HEAD - 4);
}

function drawBar(pen, data, index, { width, floor, most, colour }) {
  const [left, right] = spanOf(data, index, width);
  const gap = right - left > 4 ? 1 : 0;
  const wide = Math.max(0.6, right - left - gap);
  const scale = (floor - HEAD) / most;
  let top = floor;
  data.stack.forEach((name, row) => {
    const high = data.bytes[row][index] * scale;
    if (high <= 0) return;
    pen.fillStyle = colour(`role-${name}`) || colour("role-other");
    pen.fillRect(left, top - high, wide, high);
    top -= high;
  });
  const greatest = (data.greatest?.[index] ?? 0) * scale;
  if (greatest > floor - top + 1) {
    pen.fillStyle = colour("dim");
    pen.fillRect(left, floor - greatest, wide, 1);
  }
}

function drawMarks(pen, data, { width, floor, colour }) {
  const each = bucketWidth(data, width);
  const half = Math.min(3, Math.max(1, each / 2));
  for (let index = 0; index < data.cycle.length; index += 1) {
    const centre = (index + 0.5) * each;
    const bucket = bucketOf(data, index);
    if (bucket.breaks) {
      pen.fillStyle = colour("mark-break");
      pen.beginPath();
      pen.moveTo(centre, floor + 2);
      pen.lineTo(centre + half, floor + 8);
      pen.lineTo(centre - half, floor + 8);
      pen.fill();
    }
    if (bucket.gone) {
      pen.fillStyle = colour("mark-gone");
      pen.fillRect(centre - half, floor + 11, 2 * half, 3);
    }
    if (bucket.failed) {
      pen.strokeStyle = colour("mark-failed");
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(centre - 2.5, floor + 16);
      pen.lineTo(centre + 2.5, floor + 21);
      pen.moveTo(centre + 2.5, floor + 16);
      pen.lineTo(centre - 2.5, floor + 21);
      pen.stroke();
    }
  }
}

function shade(pen, data, [a, b], { width, height, colour, alpha }) {
  const [left] = spanOf(data, Math.min(a, b), width);
  const [, right] = spanOf(data, Math.max(a, b), width);
  pen.globalAlpha = alpha;
  pen.fillStyle = colour;
  pen.fillRect(left, 0, right - left, height);
  pen.globalAlpha = 1;
}

function cursor(pen, data, index, { width, height, colour, dashed }) {
  const [left, right] = spanOf(data, index, width);
  const centre = (left + right) / 2;
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.setLineDash(dashed ? [3, 3] : []);
  pen.beginPath();
  pen.moveTo(centre, 0);
  pen.lineTo(centre, height);
  pen.stroke();
  pen.setLineDash([]);
}
