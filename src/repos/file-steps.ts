// Changes between versions, file by file, with the processes that made them, from `By: PID` trailers. A version without trailer was not
// made by a process.

import { LIMITS } from "../abi/config/limits.ts";
import type { FileState } from "../abi/process/undo.ts";
import { filesIn, PLAIN } from "./browse.ts";
import type { Repository } from "./repository.ts";

export interface Step {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** Processes that were active. */
  readonly by: readonly string[];
}

const BY = "By";
const COMMIT = "\u001d";
const HEAD = "\u001f";
const NOTHING = "000000";
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
/** Limit of a command line. */
const PATHS_AT_ONCE = 200;

/** Trailer lines for a commit message. */
export function trailersOf(pids: readonly string[]): string {
  return pids.map((pid) => `${BY}: ${pid}`).join("\n");
}

export function pidsInTrailers(message: string): readonly string[] {
  return [...message.matchAll(/^By: ((?:init|task):[a-z0-9]{1,20})$/gm)].map(([, pid = ""]) => pid);
}

/** Oldest first, without merges. */
export async function stepsBetween(
  repository: Repository,
  { before, after }: { readonly before: string | null; readonly after: string },
): Promise<Step[]> {
  const format = `${COMMIT}%H${HEAD}%(trailers:key=${BY},valueonly,separator=%x20)${HEAD}`;
  const { text } = await repository.run(
    [
      ...["log", "--reverse", "-z", "--raw", "--no-abbrev", "--no-renames", "--root", `--format=${format}`],
      ...[before === null ? after : `${before}..${after}`, "--"],
    ],
    { bytesMax: OUTPUT_BYTES_MAX },
  );
  return text.split(new RegExp(`${COMMIT}(?=[0-9a-f]{40}${HEAD})`)).flatMap(stepsIn);
}

function stepsIn(commit: string): Step[] {
  const [, by, raw] = commit.split(HEAD);
  if (by === undefined || raw === undefined) return [];
  const fields = raw.replace(/^[\0\n]+/, "").split("\0");
  const steps: Step[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const found = /^:(\d{6}) (\d{6}) ([0-9a-f]{40}) ([0-9a-f]{40}) /.exec(fields[at] ?? "");
    if (found === null) continue;
    const [, oldMode, newMode, oldId, newId] = found;
    steps.push({
      path: fields[at + 1] ?? "",
      before: stateOf(oldMode, oldId),
      after: stateOf(newMode, newId),
      by: by.split(" ").filter((pid) => pid !== ""),
    });
  }
  return steps;
}

/** States of files in a version. */
export async function statesIn(
  repository: Repository,
  commit: string | null,
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileState>> {
  const states = new Map<string, FileState>();
  if (commit === null) return states;
  for (let from = 0; from < paths.length; from += PATHS_AT_ONCE) {
    const some = paths.slice(from, from + PATHS_AT_ONCE);
    const { text } = await repository.run(["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...some], {
      bytesMax: OUTPUT_BYTES_MAX,
    });
    for (const line of text.split("\0")) {
      const [, mode, id, path = ""] = /^(\d{6}) \w+ ([0-9a-f]{40})\t(.+)$/s.exec(line) ?? [];
      if (mode !== undefined) states.set(path, stateOf(mode, id));
    }
  }
  return states;
}

function stateOf(mode: string | undefined, oid: string | undefined): FileState {
  if (mode === undefined || oid === undefined || mode === NOTHING) return null;
  return mode === "100644" || mode === "100755" || mode === "120000" ? { mode, oid } : null;
}

const BLOBS_AT_ONCE = 64;

/** File contents, in batches to bound memory. */
export async function* contentsOf(
  repository: Repository,
  oids: readonly string[],
): AsyncGenerator<ReadonlyMap<string, Uint8Array>> {
  for (let from = 0; from < oids.length; from += BLOBS_AT_ONCE) {
    const some = oids.slice(from, from + BLOBS_AT_ONCE);
    const stdin = some.map((oid) => `${oid}\n`).join("");
    const { bytes, cut } = await repository.run(["cat-file", "--batch"], { stdin });
    const found = cut ? new Map<string, Uint8Array>() : batchIn(bytes);
    for (const oid of some)
      if (!found.has(oid))
        found.set(oid, (await repository.run(["cat-file", "blob", oid], { bytesMax: LIMITS.fileBytesMax })).bytes);
    yield found;
  }
}

/** Records of `OID blob SIZE\n<bytes>\n`. */
function batchIn(bytes: Uint8Array): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf(0x0a, at);
    const [, oid = "", size = ""] = /^([0-9a-f]{40}) blob (\d+)$/.exec(all.toString("latin1", at, end)) ?? [];
    if (oid === "") break;
    const begin = end + 1;
    found.set(oid, new Uint8Array(all.subarray(begin, begin + Number(size))));
    at = begin + Number(size) + 1;
  }
  return found;
}

export interface Difference {
  readonly counts: ReadonlyMap<string, { readonly added: number | null; readonly removed: number | null }>;
  readonly text: string;
  readonly truncated: boolean;
}

/** Git's diff of these files. */
export async function differenceOf(
  repository: Repository,
  {
    from,
    to,
    paths,
    bytesMax,
  }: { readonly from: string; readonly to: string; readonly paths: readonly string[]; readonly bytesMax: number },
): Promise<Difference> {
  const counts = new Map<string, { added: number | null; removed: number | null }>();
  let [text, truncated] = ["", false];
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const range = [from, to, "--", ...paths.slice(at, at + PATHS_AT_ONCE)];
    const { text: lines } = await repository.run(["diff", "-z", "--numstat", ...PLAIN, ...range]);
    for (const { path, added, removed } of filesIn(lines)) counts.set(path, { added, removed });
    if (truncated) continue;
    const shown = await repository.run(["diff", ...PLAIN, ...range], { bytesMax: bytesMax - text.length });
    text += shown.text;
    truncated = shown.cut;
  }
  return { counts, text, truncated };
}
