// What a process knows of files, kept in its own database: which content it saw or wrote last. So that it writes nothing that is based on a
// content somebody else has changed since: that is refused, with who it was and what they changed, for the model to work into its own. What
// is forgotten counts as never seen, and a write then has only its own text to go by. A person is never refused.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FileWrite } from "../../store/kernel/file-writes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { KnownFile } from "../../store/process/files/known.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { FileTarget } from "../../syscalls/fs/files-service.ts";
import { runOf } from "./file-history.ts";
import { type Author, staleError } from "./stale-writes.ts";

export interface KnownFilesPorts {
  readonly store: Pick<ProcessStore, "knowFile" | "knownFile">;
  readonly kernel: Pick<KernelStore, "fileWrites" | "processes" | "accounts">;
  readonly clock: Clock;
}

/** A file as it stands now. */
export interface Standing {
  readonly version: string;
  /** All of it; null where that is no text. */
  text(): Promise<string | null>;
  changedAt(): Promise<number | null>;
}

type KnownText = KnownFile & { readonly text: string | null };

/** Of the files of one target. */
export class KnownFiles {
  constructor(
    private readonly ports: KnownFilesPorts,
    private readonly target: FileTarget,
  ) {}

  /** `text`: all of it, where it was seen whole. */
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

  /** What the caller is about to write over, where it knows of it: refuses what is based on an old content. */
  async expected(caller: Caller, path: string, look: () => Promise<Standing | null>): Promise<string | undefined> {
    const known = await this.knownTo(caller, path);
    const standing = known === null ? null : await look();
    if (known === null || standing === null) return undefined;
    await this.compare(caller, known, { verb: "write", standing });
    return standing.version;
  }

  async needCurrent(
    caller: Caller,
    path: string,
    { verb, standing }: { readonly verb: "write" | "edit"; readonly standing: Standing },
  ): Promise<void> {
    const known = await this.knownTo(caller, path);
    if (known !== null) await this.compare(caller, known, { verb, standing });
  }

  private async compare(
    caller: Caller,
    known: KnownText,
    { verb, standing }: { readonly verb: "write" | "edit"; readonly standing: Standing },
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
    // What it is shown whole, it knows.
    if (stale.isWhole) await this.saw(caller, path, { version, how: "read", text });
    throw stale.error;
  }

  private async knownTo({ pid }: Caller, path: string): Promise<KnownText | null> {
    if (pid === undefined) return null;
    return await ifKnown(() => this.ports.store.knownFile(pid, { target: this.target, path }));
  }

  /** Null where nobody wrote this content through gsv. */
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

/** A process that is killed meanwhile knows nothing, and neither does one whose database cannot be used now. */
async function ifKnown<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SysError) return null;
    throw error;
  }
}
