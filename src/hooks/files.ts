// Reads hooks.d: each file with its checksum, or why it cannot run and how to fix that. Changes nothing. Refuses links, files of other users,
// files that others can write to, and everything in a directory like that.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type BigIntStats as Stats,
} from "node:fs";
import { join } from "node:path";
import { HOOK_EVENT_NAMES, HOOK_NAME, isHookEvent } from "../abi/hook.ts";
import { sha256Hex } from "../lib/hash.ts";
import { quoted } from "../lib/text/quote.ts";
import { reveal } from "../lib/text/sanitize.ts";

export interface HookFault {
  readonly why: string;
  readonly fix: string;
}

export interface HookFile {
  /** `EVENT/NAME`, or another path if it is not a hook. */
  readonly hook: string;
  readonly path: string;
  readonly sha256: string | null;
  readonly fault: HookFault | null;
}

const BYTES_MAX = 16 * 1024 * 1024;
const HOOKS_MAX = 1000;
const OTHERS_WRITE = 0o022n;
const OWN_RUN = 0o100n;
const RAISES = 0o6000n;

export class HookFiles {
  /** By path: the state of the file at its last read. */
  private readonly read = new Map<string, { readonly mark: string; readonly sha256: string }>();
  private seen = "";

  constructor(
    readonly directory: string,
    private readonly uid: number,
  ) {}

  /** Whether a directory has changed since the last call. Without hooks this is one stat. */
  isOther(): boolean {
    const now = markOf(this.directory);
    const marks = now === "" ? [] : namesIn(this.directory).map((name) => markOf(join(this.directory, name)));
    const seen = [now, ...marks].join(" ");
    const isOther = seen !== this.seen;
    this.seen = seen;
    return isOther;
  }

  /** In the order of running. Skips hidden files and those that end with `~`. */
  list(): readonly HookFile[] {
    const found = namesIn(this.directory).flatMap((event) => {
      const at = join(this.directory, event);
      if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return [this.misplaced(event, at)];
      return namesIn(at).map((name) => this.at(`${event}/${name}`));
    });
    return found.filter((each) => each !== null).slice(0, HOOKS_MAX);
  }

  at(hook: string): HookFile | null {
    const path = join(this.directory, hook);
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return null;
    const fault = this.faultOf(hook, path, stat);
    if (fault !== null) return { hook: reveal(hook), path, sha256: null, fault };
    return { hook, path, sha256: this.sumOf(path, stat), fault: null };
  }

  bytes(path: string): Buffer {
    // Must not follow a new link or block on a pipe.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(Math.min(BYTES_MAX, fstatSync(file).size));
      let length = 0;
      for (let more = 1; more > 0 && length < bytes.length; length += more)
        more = readSync(file, bytes, length, bytes.length - length, length);
      return bytes.subarray(0, length);
    } finally {
      closeSync(file);
    }
  }

  private sumOf(path: string, stat: Stats): string {
    const mark = identity(stat);
    const known = this.read.get(path);
    if (known?.mark === mark) return known.sha256;
    const sha256 = sha256Hex(this.bytes(path));
    this.read.set(path, { mark, sha256 });
    return sha256;
  }

  private misplaced(name: string, path: string): HookFile {
    const target = isHookEvent(name) ? join(this.directory, name) : join(this.directory, "run-end");
    const fix = `mkdir -p ${quoted(target)}; a hook lies in the directory of its event`;
    return { hook: reveal(name), path, sha256: null, fault: { why: "it is not the directory of an event", fix } };
  }

  private faultOf(hook: string, path: string, stat: Stats): HookFault | null {
    const [event = ""] = hook.split("/");
    if (!isHookEvent(event))
      return { why: `unknown event ${reveal(event)}`, fix: `events: ${HOOK_EVENT_NAMES.join(" ")}` };
    if (!HOOK_NAME.test(hook)) return { why: "invalid hook name", fix: "use only A-Z a-z 0-9 . _ -" };
    return this.placeFault(event) ?? this.ownFault(path, stat);
  }

  private placeFault(event: string): HookFault | null {
    for (const path of [this.directory, join(this.directory, event)]) {
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stat?.isDirectory() !== true) return { why: `${path} is a link`, fix: "put a directory in its place" };
      const fault = this.foreign(path, stat);
      if (fault !== null) return { ...fault, why: `${path}: ${fault.why}` };
    }
    return null;
  }

  private ownFault(path: string, stat: Stats): HookFault | null {
    const at = quoted(path);
    if (stat.isSymbolicLink()) return { why: "it is a link", fix: "replace the link with the file" };
    if (!stat.isFile()) return { why: "it is not a file", fix: "replace it with the program" };
    if (stat.size > BYTES_MAX) return { why: "it is bigger than 16 MiB", fix: "have a short script run it" };
    if ((stat.mode & RAISES) !== 0n) return { why: "it is set-uid or set-gid", fix: `chmod u-s,g-s ${at}` };
    const foreign = this.foreign(path, stat);
    if (foreign !== null) return foreign;
    return (stat.mode & OWN_RUN) === 0n ? { why: "it is not executable", fix: `chmod u+x ${at}` } : null;
  }

  private foreign(path: string, stat: Stats): HookFault | null {
    if (stat.uid !== BigInt(this.uid))
      return { why: `it belongs to uid ${stat.uid}`, fix: `sudo chown ${this.uid} ${quoted(path)}` };
    return (stat.mode & OTHERS_WRITE) === 0n
      ? null
      : { why: "others can write to it", fix: `chmod go-w ${quoted(path)}` };
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith(".") && !name.endsWith("~"))
      .sort();
  } catch {
    return [];
  }
}

/** Changes with every new, deleted or renamed file, and with the owner. */
function markOf(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : identity(stat);
}

/** Every change of a file sets its ctime, which cannot be set back. */
function identity({ dev, ino, size, mtimeNs, ctimeNs, mode, uid }: Stats): string {
  return [dev, ino, size, mtimeNs, ctimeNs, mode, uid].join(".");
}
