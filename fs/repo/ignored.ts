// .gitignore rules as in git: the last match decides, deeper files win, and everything in an ignored directory is ignored. The number of
// rules is bounded.

import { isInside } from "../../src/lib/inside.ts";

export const IGNORE_FILE = ".gitignore";
export const GIT_DIRECTORY = ".git";
export const IGNORE_BYTES_MAX = 64 * 1024;
const RULES_MAX = 1000;
const RULE_CHARS_MAX = 256;

interface Rule {
  /** Directory of the .gitignore. */
  readonly base: string;
  readonly glob: Bun.Glob;
  readonly keeps: boolean;
  readonly onlyDirectories: boolean;
}

export class Ignored {
  static readonly NOTHING = new Ignored([]);

  private constructor(private readonly rules: readonly Rule[]) {}

  /** Adds the rules of a deeper directory. */
  and(directory: string, text: string): Ignored {
    const added = text
      .split("\n")
      .map((line) => ruleOf(directory, line))
      .filter((rule) => rule !== null);
    return new Ignored([...this.rules, ...added].slice(-RULES_MAX));
  }

  has(path: string, isDirectory: boolean): boolean {
    const rule = this.rules.findLast(
      ({ base, glob, onlyDirectories }) =>
        (isDirectory || !onlyDirectories) && isInside(path, base) && glob.match(below(path, base)),
    );
    return rule !== undefined && !rule.keeps;
  }
}

function ruleOf(base: string, line: string): Rule | null {
  const text = line.replace(/\r$/, "").replace(/(?<!\\) +$/, "");
  if (text === "" || text.startsWith("#") || text.length > RULE_CHARS_MAX) return null;
  const keeps = text.startsWith("!");
  const named = (keeps ? text.slice(1) : text).replace(/^\\(?=[#!])/, "");
  const onlyDirectories = named.endsWith("/");
  const bare = named.replace(/^\//, "").replace(/\/+$/, "");
  if (bare === "") return null;
  // A slash before the end anchors the rule to its directory.
  const isTied = named.replace(/\/+$/, "").includes("/");
  // Braces are literal in .gitignore.
  const pattern = bare.replace(/[{}]/g, "\\$&");
  return { base, glob: new Bun.Glob(isTied ? pattern : `**/${pattern}`), keeps, onlyDirectories };
}

function below(path: string, base: string): string {
  return path.slice(base === "/" ? 1 : base.length + 1);
}
