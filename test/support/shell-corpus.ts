// bash by example: snippets in test/golden/shell/*.bash, each under a title, and the recorded answers of real bash in
// test/golden/shell.json. Every snippet starts in a fresh home with the same few files.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const GOLDEN = join(import.meta.dir, "..", "golden");
const SNIPPETS = join(GOLDEN, "shell");
export const ANSWERS = join(GOLDEN, "shell.json");
export const HOME = "/home/sam";
const TITLE = "#### ";

export interface Snippet {
  /** `file: title`. */
  readonly name: string;
  readonly script: string;
}

export interface Answer {
  /** The snippet of this answer, to detect a changed snippet. */
  readonly script: string;
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const STARTING_FILES: { readonly [path: string]: string } = {
  "fruits.txt": "banana\napple\ncherry\napple\ndate\nbanana\napple\n",
  "numbers.txt": "10\n9\n2\n33\n1\n20\n",
  "people.csv": "name,age,city\nalice,30,Oslo\nbob,25,Rome\nsam,41,Lima\n",
  "empty.txt": "",
  "a file.txt": "spaces in the name\n",
  "sub/one.txt": "hello one\n",
  "sub/two.md": "hello two\n",
  "sub/deep/three.txt": "three\n",
};

export function snippets(): readonly Snippet[] {
  return readdirSync(SNIPPETS)
    .sort()
    .flatMap((file) => snippetsOf(file.replace(".bash", ""), readFileSync(join(SNIPPETS, file), "utf8")));
}

function snippetsOf(category: string, text: string): readonly Snippet[] {
  return `\n${text}`
    .split(`\n${TITLE}`)
    .slice(1)
    .map((piece) => {
      const end = piece.indexOf("\n");
      return { name: `${category}: ${piece.slice(0, end)}`, script: piece.slice(end + 1).trimEnd() };
    });
}

export function answers(): { readonly [name: string]: Answer } {
  return JSON.parse(readFileSync(ANSWERS, "utf8"));
}

/** The home is another directory each time, and bash puts its own name and the line before its messages. */
export function wording(stderr: string): string {
  return stderr.replaceAll(/^(?:[./\w-]+: )?(?:-c: )?line \d+: /gm, "").replaceAll(/^(?:bash|gsv): /gm, "");
}
