// The modes of a terminal after these bytes, by their on and off sequences; for modes in a stack, its depth.

const PRIVATE = /\x1b\[\?(\d+)([hl])|\x1b\[>\d+u|\x1b\[<u|\x1b\[22;0t|\x1b\[23;0t/g;
/** On at the start. */
const USUAL = ["7", "25"];

/** Empty if the terminal is in its usual mode. */
export function oddModes(bytes: string): readonly string[] {
  const on = new Set(USUAL);
  const depth = { keys: 0, titles: 0 };
  for (const [sequence, mode = "", switched] of bytes.matchAll(PRIVATE)) {
    if (switched === "h") on.add(mode);
    else if (switched === "l") on.delete(mode);
    else if (sequence.endsWith("u")) depth.keys = Math.max(0, depth.keys + (sequence.includes(">") ? 1 : -1));
    else depth.titles += sequence.startsWith("\x1b[22") ? 1 : -1;
  }
  const odd = [...on].filter((mode) => !USUAL.includes(mode)).map((mode) => `?${mode} on`);
  const off = USUAL.filter((mode) => !on.has(mode)).map((mode) => `?${mode} off`);
  const kept = Object.entries(depth).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name} kept`]));
  return [...odd, ...off, ...kept];
}
