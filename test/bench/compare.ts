// `npm run bench -- --compare REF`: builds the binary of another commit and runs the same rows on both, in turns, so that load on the
// machine affects both alike. A ratio below 1 means that this checkout costs less.

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BINARY, BINARY_VARIABLE, ROOT } from "./machine.ts";
import { median, type Row } from "./measure.ts";

export interface Compared {
  readonly name: string;
  readonly unit: Row["unit"];
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
  /** Lowest and highest ratio of one pair of runs. */
  readonly spread: readonly [number, number];
}

export interface CompareOptions {
  readonly ref: string;
  readonly families: readonly string[];
  readonly rounds: number;
  readonly pairs: number;
}

export async function compare({ ref, families, rounds, pairs }: CompareOptions): Promise<Compared[]> {
  const directory = mkdtempSync(join(tmpdir(), "gsv-compare-"));
  try {
    const other = await builtAt(ref, join(directory, "tree"));
    const before: Row[][] = [];
    const after: Row[][] = [];
    for (let pair = 0; pair < pairs; pair++) {
      process.stderr.write(`pair ${pair + 1} of ${pairs} ...\n`);
      const turns = [
        async () => before.push(await rowsWith(other, families, rounds)),
        async () => after.push(await rowsWith(BINARY, families, rounds)),
      ];
      for (const turn of pair % 2 === 0 ? turns : turns.reverse()) await turn();
    }
    return compared(before, after);
  } finally {
    await ran(["git", "-C", ROOT, "worktree", "remove", "--force", join(directory, "tree")]).catch(() => {});
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Rows by name; rows that only one side has are left out. */
export function compared(before: readonly (readonly Row[])[], after: readonly (readonly Row[])[]): Compared[] {
  const valuesOf = (runs: readonly (readonly Row[])[], name: string) =>
    runs.map((rows) => rows.find((row) => row.name === name)?.median);
  return (after[0] ?? []).flatMap(({ name, unit }) => {
    const old = valuesOf(before, name);
    const now = valuesOf(after, name);
    if ([...old, ...now].includes(undefined)) return [];
    const [ours, theirs] = [now as number[], old as number[]];
    const ratios = ours.map((value, at) => ratio(value, theirs[at] ?? Number.NaN));
    return {
      ...{ name, unit, before: median(theirs), after: median(ours), ratio: median(ratios) },
      spread: [Math.min(...ratios), Math.max(...ratios)] as const,
    };
  });
}

function ratio(after: number, before: number): number {
  return after === before ? 1 : after / before;
}

export function comparedTable(rows: readonly Compared[]): string {
  const text = (value: number) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
  const cells = rows.map((row) => [
    row.name,
    `${text(row.before)} ${row.unit}`,
    `${text(row.after)} ${row.unit}`,
    row.ratio.toFixed(2),
    row.spread.map((value) => value.toFixed(2)).join("-"),
  ]);
  const head = ["", "before", "after", "ratio", "spread"];
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  return `${[head, ...cells].map((row) => line(row).trimEnd()).join("\n")}\n`;
}

async function builtAt(ref: string, tree: string): Promise<string> {
  process.stderr.write(`building ${ref} ...\n`);
  await ran(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", tree, ref]);
  const lock = (at: string) => readFileSync(join(at, "bun.lock"), "utf8");
  if (lock(tree) === lock(ROOT)) symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
  else await ran([process.execPath, "install", "--frozen-lockfile"], tree);
  await ran([process.execPath, "--no-env-file", join(tree, "src", "build.ts")], tree);
  const binary = join(tree, "dist", "gsv");
  if (!existsSync(binary)) throw new Error(`${ref} builds no dist/gsv`);
  return binary;
}

async function rowsWith(binary: string, families: readonly string[], rounds: number): Promise<Row[]> {
  const argv = [process.execPath, "--no-env-file", join(import.meta.dir, "run.ts"), "--json"];
  const env = { ...process.env, [BINARY_VARIABLE]: binary };
  // A row over its budget makes the status 1.
  const output = await ran([...argv, "--rounds", String(rounds), ...families], ROOT, { env, allowed: [0, 1] });
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

async function ran(
  argv: readonly string[],
  cwd = ROOT,
  { env = process.env, allowed = [0] }: { env?: Record<string, string | undefined>; allowed?: readonly number[] } = {},
): Promise<string> {
  const child = Bun.spawn([...argv], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (!allowed.includes(status)) throw new Error(`${argv.join(" ")} exited ${status}: ${errors.trim()}`);
  return output;
}
