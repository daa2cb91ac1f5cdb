// The dangers of a call as its card names them, the most serious first. For a command that deletes, with the number of files. Pure.

import { actsByItself, guardedWords } from "../policy/host-file-verdict.ts";

export interface FileChange {
  readonly call: string | null;
  readonly target: string;
  /** Real path. */
  readonly path: string;
  /** Asks whatever rules and the mode say. */
  readonly isGuarded: boolean;
  readonly isInside: boolean;
}

export function fileDangers({ call, target, path, isGuarded, isInside }: FileChange): readonly string[] {
  const acts = isGuarded && (target !== "host" || actsByItself(path));
  return [
    ...(isInside ? [] : [`${call === "fs.delete" ? "deletes" : "changes"} a file outside the workspace`]),
    ...(acts ? [guardedWords(path)] : []),
    ...(call === "fs.delete" && isInside ? ["deletes a file"] : []),
  ];
}

/** `count`: how many files it deletes; null if unknown. */
export function countedDangers(dangers: readonly string[], count: number | null, most: number): readonly string[] {
  if (count === null || count === 0) return dangers;
  const files = count === 1 ? "1 file" : `${count > most ? `more than ${most}` : count} files`;
  const counted = dangers.map((text) =>
    /^deletes (?:files|directories with their files)$/.test(text) ? `deletes ${files}` : text,
  );
  return [...new Set(counted)];
}
