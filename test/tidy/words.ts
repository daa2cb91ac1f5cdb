// Forbidden code, with exceptions by path: unfinished marks, direct use of time, randomness, processes and environment, barrels, module
// mocks, paths of one person's computer. Each rule has its replacement.

import { isTest, type SourceFile, type Tree } from "./tree.ts";

interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Path prefixes of the files that may use it. */
  readonly except?: readonly string[];
  /** Checked files (default: the product). */
  readonly scope?: "everything" | "tests";
  /** Check comments too. */
  readonly comments?: true;
}

const TOP = ["src/client/home-sys.ts", "src/main.ts", "src/launch.mjs", "src/build.ts"];
const MAKES_RANDOMNESS = [
  // One mark for each Worker; it is never shown.
  "src/shell/programs/internal-words.ts",
  "src/client/home-sys.ts",
  "src/main.ts",
  "src/boot",
  "src/client/",
  "src/machine/",
  "src/workers/",
  "tui/web/main.tsx",
];

export const RULES: readonly Rule[] = [
  {
    pattern: /\b(?:TODO|FIXME|XXX)\b/,
    instead: "do it now or leave it out",
    scope: "everything",
    comments: true,
    except: ["test/tidy/"],
  },
  { pattern: /^export \*/m, instead: "import from the file that owns it", scope: "everything" },
  { pattern: /\bmock\.module\(/, instead: "hand the fake in", scope: "tests", except: ["test/tidy/"] },
  {
    pattern: /\/(?:work|Users|builds?)\/\w|\/home\/(?:runner|ubuntu)\b/,
    instead: "paths come from where the file lies, or from the environment",
    scope: "everything",
    comments: true,
    except: ["test/tidy/"],
  },
  {
    pattern:
      /\b(?:Date\.now|performance\.now|setTimeout|setInterval|Bun\.sleep|AbortSignal\.timeout)\(|\bnew Date\b(?:\(\)|(?!\())/,
    instead: "take a Clock",
    except: ["src/lib/clock.ts", "src/launch.mjs", "src/build.ts"],
  },
  {
    pattern: /\bMath\.random\(|\bcrypto\.(?:getRandomValues|randomUUID|randomBytes)\(|\b(?:randomUUIDv7|randomBytes)\(/,
    instead: "take RandomBytes",
    except: MAKES_RANDOMNESS,
  },
  {
    pattern: /(?<!["`\w.])process\.(?:env|argv|exit|exitCode)\b/,
    instead: "let src/main.ts read it and hand it in",
    except: TOP,
  },
  { pattern: /\bBun\.env\b/, instead: "let src/main.ts read it and hand it in" },
  {
    pattern: /\bBun\.spawn(?:Sync)?\(|\bfrom "node:child_process"/,
    instead: "take the spawn port",
    except: [
      "src/targets/spawn.ts",
      "src/repos/git",
      "src/boot",
      "src/client/",
      "src/machine/",
      "src/build.ts",
      "src/launch.mjs",
    ],
  },
  {
    pattern: /(?<![.\w])fetch\(/,
    instead: "the network is reached from src/providers alone",
    except: [
      "src/providers/",
      "src/tools/web",
      "src/links/",
      "tui/web/client/sign-in.ts",
      "tui/web/files/transfer.ts",
      "tui/web/speech/",
      "src/serve/release.ts",
    ],
  },
  {
    pattern: /\.(?:transaction|write|snapshot)\((?:"\w+", )?async\b/,
    instead: "a transaction commits at the first await: keep it synchronous",
  },
  { pattern: /\bconstructor\.name\b/, instead: "minified names say nothing: compare with instanceof or a code" },
];

export function wordOffences(tree: Tree, rules: readonly Rule[] = RULES): string[] {
  const offences: string[] = [];
  for (const file of tree.values()) {
    if (/(?:^|\/)index\.tsx?$/.test(file.path))
      offences.push(`${file.path}: no index files, a file is named for what it owns`);
    for (const rule of rules) {
      if (!applies(rule, file.path)) continue;
      const found = rule.pattern.exec(rule.comments ? file.text : file.code)?.[0];
      if (found !== undefined) offences.push(`${file.path}${lineOf(file, rule.pattern)}: "${found}": ${rule.instead}`);
    }
    offences.push(...spawnsWithoutEnv(file));
  }
  return offences;
}

function applies(rule: Rule, path: string): boolean {
  if (rule.except?.some((prefix) => path.startsWith(prefix))) return false;
  if (rule.scope === "everything") return true;
  return rule.scope === "tests" ? isTest(path) : !isTest(path);
}

// Without env, a child inherits gsv's environment, secrets included.
function spawnsWithoutEnv(file: SourceFile): string[] {
  if (isTest(file.path)) return [];
  return [...file.code.matchAll(/\bBun\.spawn(?:Sync)?\(/g)]
    .filter(({ index }) => !/\benv\b/.test(file.code.slice(index, index + 600)))
    .map(() => `${file.path}: Bun.spawn without env: give the child its own`);
}

function lineOf(file: SourceFile, pattern: RegExp): string {
  const line = file.text.split("\n").findIndex((text) => !/^\s*(?:\/\/|\*|\/\*)/.test(text) && pattern.test(text));
  return line < 0 ? "" : `:${line + 1}`;
}
