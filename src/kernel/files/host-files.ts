// The file tools on the target host: the same tools over this computer's paths, with ripgrep for searching if installed. For the home's own
// human and that human's agents. Relative paths start at the attached directory.

import { homedir } from "node:os";
import type { Namespace } from "../../../fs/namespace.ts";
import { join, tilde } from "../../../fs/path.ts";
import { around, Found, needOneLine, type SearchResult, searchTree } from "../../../fs/read/search.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { normaliseText } from "../../abi/process/message.ts";
import type { Clock } from "../../lib/clock.ts";
import { isInside } from "../../lib/inside.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Files } from "../../syscalls/fs/files-service.ts";
import type { Hidden } from "../../targets/hidden.ts";
import { ripgrep } from "../../targets/ripgrep.ts";
import type { HostDirectories } from "../workspaces/host-directories.ts";
import { filesIn, type PlaceOptions } from "./files.ts";
import type { KnownFiles } from "./known-files.ts";
import type { HostView, SearchThread } from "./search-thread.ts";

export interface HostFilesPorts {
  readonly namespace: Namespace;
  readonly places: HostDirectories;
  readonly clock: Clock;
  /** What processes have seen of these files. */
  readonly known: KnownFiles;
  /** Throws if the caller may not use the host. */
  readonly authorise: (caller: Caller) => Promise<void>;
  readonly rowOf: (pid: string) => Promise<ProcessRow | null>;
  /** The person's own home, for `~`. */
  readonly personsHome: string | undefined;
  readonly findProgram: (name: string) => string | null;
  /** Directories hidden from all tools. */
  readonly hidden: () => readonly string[];
  readonly searches: SearchThread;
  readonly viewOf: (caller: Caller) => Promise<HostView>;
}

type Asked = Parameters<NonNullable<PlaceOptions["search"]>>[0];

/** A thread takes longer to start than most searches take. */
const SOON_MS = 20;

/** Where a host file is, for rules and cards. */
export interface FileGround {
  /** Without links. */
  readonly path: string;
  readonly inside: boolean;
  /** The directory that an approval would attach. */
  readonly attaches: string | null;
}

export class HostFiles {
  readonly files: Files;
  readonly namespace: Namespace;

  constructor(private readonly ports: HostFilesPorts) {
    const { namespace, known } = ports;
    this.namespace = namespace;
    const search = this.search.bind(this);
    this.files = filesIn({ namespace, absolute: (caller, path) => this.absolute(caller, path), search, known });
  }

  async ground(row: ProcessRow, caller: Caller, path: string): Promise<FileGround> {
    const { namespace, places } = this.ports;
    const place = await namespace.locate(caller, await this.absolute(caller, path));
    const base = await places.baseOf(row);
    const attached = await places.attachedTo(row);
    const inside = attached.some((directory) => isInside(place, directory));
    const offered = base !== null && !base.attached && isInside(place, base.directory);
    return { path: place, inside, attaches: offered ? base.directory : null };
  }

  /** Without links. */
  async locate(caller: Caller, path: string): Promise<string> {
    return await this.namespace.locate(caller, await this.absolute(caller, path));
  }

  private async absolute(caller: Caller, path: string): Promise<string> {
    await this.ports.authorise(caller);
    const home = tilde(path);
    if (home !== null) {
      if (home.username === null) return (this.ports.personsHome ?? homedir()) + home.rest;
      throw new SysError("EINVAL", `only ~ works on this computer, not ${path.slice(0, 80)}`);
    }
    if (path.startsWith("/")) return path;
    const row = caller.pid === undefined ? null : await this.ports.rowOf(caller.pid);
    const base = row === null ? null : await this.ports.places.baseOf(row);
    if (base !== null) return join(base.directory, path);
    throw new SysError("EINVAL", `no directory is attached for the relative path ${path.slice(0, 80)}`, [
      "use an absolute path",
    ]);
  }

  private async search({ caller, ...request }: Asked): Promise<SearchResult> {
    const { findProgram, hidden } = this.ports;
    needOneLine(request.query);
    const program = findProgram("rg");
    if (program === null) return (await this.soon(caller, request)) ?? (await this.apart(caller, request));
    const found = new Found();
    const asked = { ...request, program, hidden: hidden(), fileBytesMax: LIMITS.fileBytesMax };
    for await (const { path, line, content } of ripgrep(asked)) {
      const text = around(content.toString("utf8"), request.query);
      found.add({ path: normaliseText(path), line, content: normaliseText(text) });
      if (found.full) break;
    }
    if (request.signal.aborted) throw new SysError("ECANCELED", "the search was cancelled");
    return { matches: found.matches, truncated: found.full };
  }

  /** Null if the tree is large. */
  private async soon(caller: Caller, request: Omit<Asked, "caller">): Promise<SearchResult | null> {
    const { namespace, searches, clock } = this.ports;
    if (searches.isRunning) return null;
    const late = new AbortController();
    const inTime = clock.after(SOON_MS, () => late.abort());
    try {
      const signal = AbortSignal.any([request.signal, late.signal]);
      return await searchTree({ ...request, namespace, caller, signal });
    } catch (error) {
      if (late.signal.aborted && !request.signal.aborted) return null;
      throw error;
    } finally {
      inTime();
    }
  }

  private async apart(caller: Caller, { signal, ...request }: Omit<Asked, "caller">): Promise<SearchResult> {
    const { namespace, searches, viewOf } = this.ports;
    const view = await viewOf(caller);
    try {
      return await searches.search({ ...request, caller, view }, signal);
    } catch (error) {
      // Too few descriptors for a thread.
      if (!(error instanceof SysError) || error.code !== "EAGAIN") throw error;
      return await searchTree({ ...request, namespace, caller, signal });
    }
  }
}

const SYSTEM = ["/proc", "/sys"];
/** Finding sockets is slow, so the list is cached. */
const FRESH_MS = 5000;

export function unseenPaths(find: () => Hidden, clock: Clock): () => readonly string[] {
  let found: { readonly at: number; readonly paths: readonly string[] } | null = null;
  return () => {
    const now = clock.mono();
    if (found === null || now - found.at > FRESH_MS) {
      const { directories, files } = find();
      found = { at: now, paths: [...SYSTEM, ...directories, ...files] };
    }
    return found.paths;
  };
}
