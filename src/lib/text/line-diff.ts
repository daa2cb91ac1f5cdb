// The difference of two texts as removed and added lines with context. One stretch from the first to the last difference.
// Left-out lines are counted in the result. Pure.

const AROUND = 3;

/** null if equal. */
export function lineDiff(before: string, after: string, linesMax: number): string | null {
  if (before === after) return null;
  const [old, now] = [linesOf(before, after), linesOf(after, before)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const from = Math.max(0, head - AROUND);
  const goes = old.slice(head, old.length - tail).map((line) => `-${line}`);
  const comes = now.slice(head, now.length - tail).map((line) => `+${line}`);
  const lines = [
    `@@ line ${from + 1} @@`,
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...shortened(goes, linesMax),
    ...shortened(comes, linesMax),
    ...old.slice(old.length - tail, old.length - tail + AROUND).map((line) => ` ${line}`),
  ];
  return lines.join("\n");
}

/** An empty or new file has no line, not an empty one; the end of the other's last line is no line either. */
function linesOf(text: string, other: string): readonly string[] {
  return text === "" && !other.endsWith("\n") ? [] : text.split("\n");
}

function shortened(lines: readonly string[], linesMax: number): readonly string[] {
  if (lines.length <= linesMax) return lines;
  const half = Math.floor(linesMax / 2);
  const left = lines.length - 2 * half;
  return [...lines.slice(0, half), `… ${left} lines more …`, ...lines.slice(-half)];
}
