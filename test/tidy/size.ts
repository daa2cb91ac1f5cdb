// Size limits for files, functions and folders. Counts lines of formatted code: a function ends at the first line that closes at its own
// depth. Named inner functions count on their own, so a factory of methods counts like a class. Callbacks count with their caller.

import { dirname } from "node:path";
import { isCode, isTest, type SourceFile, type Tree } from "./tree.ts";

export const LIMITS = { file: 350, testFile: 300, function: 70, folder: 20 } as const;

// A function declaration, a method, or an arrow function with a body. `describe` blocks are groups, not functions.
const OPENS =
  /^(\s*)(?:.*\bfunction\b.*|.*=> \{|(?:(?:static|async|private|protected|override|get|set)\s+)*[\w$#]+\(.*)$/;
const NAMED =
  /^\s*(?:export )?(?:(?:static|async|private|protected|override|get|set)\s+)*(?:function\b.*|(?:test|describe)(?:\.\w+)*\(.*=> \{|(?:const )?[\w$#]+(?: =|:) (?:async )?(?:\(|\w+ => ).*|(?!.*=> \{$)[\w$#]+\(.*\{)$/;
const GROUP = /^\s*describe\b/;
const NOT_A_FUNCTION = /^\s*(?:if\b|for\b|while\b|switch\b|catch\b|return\b|\/\/|\*|\/\*)/;

export function sizeOffences(tree: Tree): string[] {
  const offences: string[] = [];
  for (const file of tree.values()) {
    if (!isCode(file.path)) continue;
    const lines = file.text.trimEnd().split("\n");
    const max = isTest(file.path) ? LIMITS.testFile : LIMITS.file;
    if (lines.length > max)
      offences.push(`${file.path} has ${lines.length} lines, at most ${max}: split it by reason to change`);
    offences.push(...longFunctions(file, lines));
  }
  return offences;
}

/** Folders of the product with too many source files. */
export function folderOffences(tree: Tree): string[] {
  const files = new Map<string, number>();
  for (const { path } of tree.values()) {
    if (isCode(path) && !isTest(path)) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
  }
  return [...files]
    .filter(([, count]) => count > LIMITS.folder)
    .map(([folder, count]) => `${folder} has ${count} files, at most ${LIMITS.folder}: make rooms in it`);
}

function longFunctions(file: SourceFile, lines: readonly string[]): string[] {
  const offences: string[] = [];
  for (const [start, line] of lines.entries()) {
    const indent = OPENS.exec(line)?.[1];
    if (indent === undefined || GROUP.test(line) || NOT_A_FUNCTION.test(line)) continue;
    const length = ownLength(lines, start, endOf(lines, start, indent));
    if (length > LIMITS.function) {
      offences.push(`${file.path}:${start + 1}: a function of ${length} lines, at most ${LIMITS.function}`);
    }
  }
  return offences;
}

function ownLength(lines: readonly string[], start: number, end: number): number {
  let length = 1;
  for (let at = start + 1; at <= end; at++) {
    const line = lines[at] ?? "";
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    const inner = NAMED.test(line) && !NOT_A_FUNCTION.test(line) ? endOf(lines, at, indent) : at;
    length += inner === at ? 1 : 0;
    at = inner;
  }
  return length;
}

// The next line that is not indented further: it closes the body, or opens it after parameters of several lines
// (`}): Promise<void> {`), or shows that there was no body at all.
function endOf(lines: readonly string[], start: number, indent: string): number {
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line === "" || line.startsWith(`${indent} `)) continue;
    if (!line.startsWith(indent)) return start;
    if (line.endsWith("{") && /^\s*[)}]/.test(line)) continue;
    return /^\s*\}/.test(line) ? at : start;
  }
  return start;
}
