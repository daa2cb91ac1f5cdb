// Remembers which content of a file each process saw or wrote last, in the process's database. A write based on older content is refused,
// and the error tells the model who changed what. Forgotten files count as never seen. People are never refused.

import { shownLines } from "../../../fs/read/near-lines.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import { lineDiff } from "../../lib/text/line-diff.ts";
import type { FileWrite } from "../../store/kernel/file-writes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { KnownFile } from "../../store/process/files/known.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { FileTarget } from "../../syscalls/fs/files-service.ts";
import { runOf } from "./file-history.ts";

export interface KnownFilesPorts {
  readonly store: Pick<ProcessStore, "knowFile" | "knownFile" | "forgetFile">;
  readonly kernel: Pick<KernelStore, "fileWrites" | "processes" | "accounts">;
  readonly clock: Clock;
}

/** The current state of a file. */
export interface CurrentFile {
  readonly version: string;
  /** The full text; null if it is not text. */
  text(): Promise<string | null>;
  changedAt(): Promise<number | null>;
}

type KnownText = KnownFile & { readonly text: string | null };

/** For the files of one target. */
export class KnownFiles {
  constructor(
    private readonly ports: KnownFilesPorts,
    private readonly target: FileTarget,
  ) {}

  /** `text`: the full text if the process saw all of it. */
  async saw(
    caller: Caller,
    path: string,
    { version, how, text }: Pick<KnownFile, "version" | "how"> & { readonly text: string | null },
  ): Promise<void> {
    const { pid } = caller;
    if (pid === undefined) return;
    const kept = text !== null && Buffer.byteLength(text) <= LIMITS.knownTextBytesMax ? text : null;
    const runId = await runOf(this.ports.kernel, caller);
    const known = {
      target: this.target,
      path,
      version,
      how,
      runId,
      at: Math.floor(this.ports.clock.now()),
      text: kept,
    };
    await ifKnown(() => this.ports.store.knowFile(pid, known));
  }

  /** Call when the caller has read a file under these other paths, which are links now. */
  async forget({ pid }: Caller, paths: readonly string[]): Promise<void> {
    if (pid === undefined) return;
    for (const path of paths)
      if ((await this.knownTo({ pid }, path)) !== null)
        await ifKnown(() => this.ports.store.forgetFile(pid, { target: this.target, path }));
  }

  /** Throws if one of the paths was a file when the caller read it. Now it is a link to `place`. */
  async needNoLink(
    caller: Caller,
    paths: readonly string[],
    { verb, place }: { readonly verb: "write" | "edit"; readonly place: string },
  ): Promise<void> {
    for (const path of paths) {
      if ((await this.knownTo(caller, path)) === null) continue;
      const what = `cannot ${verb} ${path}: it was a file when you read it; now a link leads to ${place}`;
      throw new SysError("ESTALE", what, [`read it again, then repeat the ${verb}`]);
    }
  }

  /** Throws if the caller is about to overwrite a change it has not seen. */
  async expected(caller: Caller, path: string, look: () => Promise<CurrentFile | null>): Promise<string | undefined> {
    const known = await this.knownTo(caller, path);
    const standing = known === null ? null : await look();
    if (known === null || standing === null) return undefined;
    await this.compare(caller, known, { verb: "write", standing });
    return standing.version;
  }

  async needCurrent(
    caller: Caller,
    path: string,
    { verb, standing }: { readonly verb: "write" | "edit"; readonly standing: CurrentFile },
  ): Promise<void> {
    const known = await this.knownTo(caller, path);
    if (known !== null) await this.compare(caller, known, { verb, standing });
  }

  private async compare(
    caller: Caller,
    known: KnownText,
    { verb, standing }: { readonly verb: "write" | "edit"; readonly standing: CurrentFile },
  ): Promise<void> {
    const { path } = known;
    const { version } = standing;
    if (known.version === version) return;
    const text = known.text === null ? null : await standing.text();
    const last = await this.lastWrite(path, version);
    if ((text !== null && text === known.text) || (last !== null && last.pid === caller.pid)) return;
    const by = last === null ? null : await this.authorOf(last);
    const stale = staleError({
      verb,
      path,
      by,
      at: last?.at ?? (await standing.changedAt()),
      before: known.text,
      text,
    });
    // The error showed the whole change, so the process knows it now.
    if (stale.isWhole) await this.saw(caller, path, { version, how: "read", text });
    throw stale.error;
  }

  private async knownTo({ pid }: Pick<Caller, "pid">, path: string): Promise<KnownText | null> {
    if (pid === undefined) return null;
    return await ifKnown(() => this.ports.store.knownFile(pid, { target: this.target, path }));
  }

  /** Null if this content was not written through gsv. */
  private async lastWrite(path: string, version: string): Promise<FileWrite | null> {
    const [last] = await this.ports.kernel.fileWrites.list({ place: { target: this.target, path }, limit: 1 });
    return last !== undefined && last.version === version ? last : null;
  }

  private async authorOf({ uid, pid }: FileWrite): Promise<Author> {
    const { accounts, processes } = this.ports.kernel;
    const label = pid === null ? null : ((await processes.get(pid))?.label ?? null);
    return { account: (await accounts.byUid(uid))?.username ?? String(uid), pid, label };
  }
}

/** Null for a process that was killed, or whose database is unavailable. */
async function ifKnown<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SysError) return null;
    throw error;
  }
}

interface Author {
  readonly account: string;
  /** Null for a person. */
  readonly pid: string | null;
  readonly label: string | null;
}

interface Stale {
  readonly verb: "write" | "edit";
  readonly path: string;
  /** Null if it was not changed through gsv. */
  readonly by: Author | null;
  readonly at: number | null;
  /** The text as last seen, and now; null if unknown. */
  readonly before: string | null;
  readonly text: string | null;
}

const LINES_MAX = 60;
const BYTES_MAX = 8 * 1024;

/** `isWhole`: the error contains the full change. */
/** The error for a write over a change by someone else: who, when and what, so that the model can merge both. */
function staleError({ verb, path, by, at, before, text }: Stale): { error: SysError; isWhole: boolean } {
  const what = `cannot ${verb} ${path}: ${authorText(by)} changed it${at === null ? "" : ` at ${instant(at)}`}, after you read it`;
  const whole = before === null || text === null ? null : lineDiff(before, text, Number.POSITIVE_INFINITY);
  if (before === null || text === null || whole === null)
    return { error: new SysError("ESTALE", what, [`read it again, then repeat the ${verb}`]), isWhole: false };
  const shown = lineDiff(before, text, LINES_MAX) ?? "";
  const isWhole = shown === whole && Buffer.byteLength(whole) <= BYTES_MAX;
  const told = isWhole ? whole : firstLines(shown);
  const next = isWhole
    ? `this is the full change: merge it and repeat the ${verb}`
    : `the change is cut: read the file again, then repeat the ${verb}`;
  return { error: new SysError("ESTALE", what, ["the change:", ...shownLines(told.split("\n")), next]), isWhole };
}

function authorText(by: Author | null): string {
  if (by === null) return "a command or a program outside gsv";
  if (by.pid === null) return by.account;
  return by.label === null ? by.pid : `${by.pid} (${by.label})`;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

/** Whole lines from the start, at least one. */
function firstLines(text: string): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const line of text.split("\n")) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > BYTES_MAX) break;
    lines.push(line);
  }
  return lines.join("\n");
}
