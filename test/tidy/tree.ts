// The sources for the tidy tests: every file with its imports, at run time and as types. Rules see the code after the transpiler removed
// comments and types, so that a comment breaks no rule.

import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const ROOT = dirname(dirname(import.meta.dir));

/** Folders of the product; tests read `test` as well. */
export const PRODUCT = ["src", "commands", "fs", "tui"] as const;

export interface Import {
  /** A path from the root for our own files, a package or builtin name for the rest. */
  readonly target: string;
  readonly own: boolean;
  readonly kind: "static" | "dynamic" | "type";
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Without comments and types; empty for other files. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export type Tree = ReadonlyMap<string, SourceFile>;

/** Every text file below the given folders, without the map of the source. */
export function readTree(folders: readonly string[]): Tree {
  const tree = new Map<string, SourceFile>();
  for (const folder of folders) {
    for (const path of [...new Bun.Glob(`${folder}/**/*`).scanSync({ cwd: ROOT })].sort()) {
      // Bytes of a picture may read like anything.
      if (path === "src/README.md" || path.endsWith(".png")) continue;
      tree.set(path, sourceFile(path, readFileSync(join(ROOT, path), "utf8")));
    }
  }
  return tree;
}

/** A sample tree for tests of the rules. */
export function sampleTree(files: { readonly [path: string]: string }): Tree {
  return new Map(Object.entries(files).map(([path, text]) => [path, sourceFile(path, text)]));
}

export function isTest(path: string): boolean {
  return path.startsWith("test/");
}

export function isCode(path: string): boolean {
  return /\.(?:tsx?|mjs)$/.test(path);
}

const transpilers = {
  ts: new Bun.Transpiler({ loader: "ts", deadCodeElimination: false }),
  tsx: new Bun.Transpiler({ loader: "tsx", deadCodeElimination: false }),
};

function sourceFile(path: string, text: string): SourceFile {
  if (!isCode(path)) return { path, text, code: "", imports: [] };
  const transpiler = path.endsWith("x") ? transpilers.tsx : transpilers.ts;
  const runtime = transpiler.scanImports(text).map(({ path: target, kind }) => ({
    target,
    kind: kind === "dynamic-import" ? ("dynamic" as const) : ("static" as const),
  }));
  const types = [...text.matchAll(/^(?:import|export) type [^;]*? from "([^"]+)";/gm)].map(([, target]) => ({
    target: target ?? "",
    kind: "type" as const,
  }));
  // Workers are started from a URL and not imported.
  const workers = [...text.matchAll(/new URL\("(\.[^"]+)", import\.meta\.url\)/g)].map(([, target]) => ({
    target: target ?? "",
    kind: "dynamic" as const,
  }));
  return {
    path,
    text,
    code: transpiler.transformSync(text),
    imports: [...runtime, ...types, ...workers].map(({ target, kind }) => {
      const own = target.startsWith(".");
      return { target: own ? normalize(join(dirname(path), target)) : target, own, kind };
    }),
  };
}
