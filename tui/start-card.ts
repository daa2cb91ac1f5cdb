// A question before the first prompt: prints lines and reads one key as the answer. Keys of the first moment and keys after the answer go to
// the prompt.

import type { Io } from "../commands/command.ts";
import { wrapWords } from "../src/lib/text/wrap.ts";
import { IGNORED_MS } from "./approval-card/approval-card-keys.ts";
import type { AppPorts } from "./ports.ts";
import type { Theme } from "./screen/theme.ts";

const LEAVES = ["\x03", "\x04"];
const COLUMNS_MAX = 80;

/** null: ctrl-c or ctrl-d. */
export interface Answered<Answer> {
  readonly answer: Answer | null;
  readonly typed: readonly Uint8Array[];
}

/** `answerOf` returns undefined for keys without a meaning. */
export async function askCard<Answer>(
  { clock }: Pick<Io, "clock">,
  { terminal }: Pick<AppPorts, "terminal">,
  lines: readonly string[],
  answerOf: (key: string) => Answer | undefined,
): Promise<Answered<Answer>> {
  const typed: Uint8Array[] = [];
  const since = clock.mono();
  const remove = showCard(terminal, lines);
  const answer = await new Promise<Answer | null>((resolve) => {
    terminal.take((bytes) => {
      const key = Buffer.from(bytes).toString("latin1");
      if (LEAVES.includes(key)) return resolve(null);
      const isSoon = clock.mono() - since < IGNORED_MS;
      const given = isSoon ? undefined : answerOf(key);
      if (given !== undefined) resolve(given);
      else if (isSoon) typed.push(bytes);
    });
  });
  terminal.take((bytes) => typed.push(bytes));
  remove();
  return { answer, typed };
}

/** Returns the function that removes it. */
export function showCard({ write }: Pick<AppPorts["terminal"], "write">, lines: readonly string[]): () => void {
  write(`\r\x1b[J${lines.join("\r\n")}`);
  return () => write(`\r${lines.length > 1 ? `\x1b[${lines.length - 1}A` : ""}\x1b[J`);
}

/** Rows that do not fit wrap; null is an empty row. */
export function cardLines(rows: readonly (string | null)[], columns: number, theme: Theme): readonly string[] {
  const bar = theme.you("┃");
  const width = Math.min(columns, COLUMNS_MAX) - 3;
  return rows.flatMap((row) => {
    if (row === null) return [bar];
    const lines = Bun.stringWidth(row) <= width ? [row] : wrapWords(row, width);
    return lines.map((line) => `${bar} ${line}`);
  });
}
