// Colours in the output of commands on a terminal. The text must be sanitized already.

export type Tone = "title" | "code" | "good" | "needs" | "bad" | "faint";

const SGR: { readonly [T in Tone]: readonly [on: number, off: number] } = {
  title: [1, 22],
  code: [36, 39],
  good: [32, 39],
  needs: [33, 39],
  bad: [31, 39],
  faint: [2, 22],
};

export function toned(text: string, tone: Tone): string {
  const [on, off] = SGR[tone];
  return text === "" ? text : `\x1b[${on}m${text}\x1b[${off}m`;
}
