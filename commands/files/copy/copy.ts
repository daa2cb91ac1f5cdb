// Copies files and trees from one side to the other. A file appears complete or not at all. In a tree, errors are reported and the rest continues.
// Links inside a tree are never followed: they are copied as links if the target can have links, and nothing is written through one.

import { SysError } from "../../../src/abi/errno.ts";
import { sizeText } from "../../../src/lib/text/size.ts";
import type { Problems } from "../problems.ts";
import type { Side, Thing } from "./side.ts";

export interface Place {
  readonly side: Side;
  readonly path: string;
  readonly shown: string;
  /** Found inside a named directory, not named itself. */
  readonly found?: true;
}

export interface CopyHow {
  readonly recursive: boolean;
  /** Copy modes and times, also onto existing files. */
  readonly preserve: boolean;
  /** Replace files that cannot be written. */
  readonly force: boolean;
  /** Keep existing files. */
  readonly noClobber: boolean;
}

const ATTEMPTS = 3;

export class Copying {
  constructor(
    private readonly how: CopyHow,
    private readonly problems: Problems,
    private readonly signal: AbortSignal,
  ) {}

  async copy(from: Place, to: Place): Promise<boolean> {
    const before = this.problems.failures;
    await this.problems.attempt(from.shown, async () => {
      // Like `cp`: with -r a named link is copied as a link, else its target is copied.
      const thing = await from.side.look(from.path, { follow: !this.how.recursive });
      if (thing === null) throw new SysError("ENOENT", `${from.shown}: No such file or directory`);
      await this.onto(from, thing, to);
    });
    return this.problems.failures === before;
  }

  private async onto(from: Place, thing: Thing, to: Place): Promise<void> {
    if (thing.kind === "directory" && !this.how.recursive)
      throw new SysError("EISDIR", `${from.shown}: is a directory (skipped)`, ["-r copies directories"]);
    const there = await to.side.look(to.path, { follow: true });
    if (there !== null && from.side === to.side && there.real === thing.real)
      throw new SysError("EINVAL", `${from.shown} and ${to.shown} are the same file`);
    if (thing.kind === "directory") await this.needOutside(thing, to, from);
    await this.put(from, thing, { to, there });
  }

  // Copying a directory into itself would never end.
  private async needOutside(thing: Thing, to: Place, from: Place): Promise<void> {
    if (from.side !== to.side) return;
    for (let path = to.path; ; ) {
      const there = await to.side.look(path, { follow: true });
      if (there !== null) {
        if (there.real === thing.real || there.real.startsWith(`${thing.real === "/" ? "" : thing.real}/`))
          throw new SysError("EINVAL", `cannot copy ${from.shown} into itself, ${to.shown}`);
        return;
      }
      const above = path.replace(/\/?[^/]*\/*$/, "");
      if (above === path || above === "") return;
      path = above;
    }
  }

  private async put(
    from: Place,
    thing: Thing,
    { to, there }: { readonly to: Place; readonly there: Thing | null },
  ): Promise<void> {
    this.signal.throwIfAborted();
    if (thing.kind === "other") throw new SysError("EINVAL", `${from.shown}: not a file or directory (skipped)`);
    try {
      await this[thing.kind](from, thing, { to, there });
    } catch (error) {
      throw error instanceof SysError && error.code === "EFBIG"
        ? tooLarge(from.shown, to.side, error)
        : asOf(to, error);
    }
  }

  private async file(from: Place, thing: Thing, { to, there }: { to: Place; there: Thing | null }): Promise<void> {
    if (there !== null && this.how.noClobber) return;
    if (there !== null && there.kind !== "file")
      throw new SysError(
        there.kind === "directory" ? "EISDIR" : "EINVAL",
        `${to.shown}: not a regular file; nothing was written`,
      );
    const { fileBytesMax } = to.side;
    if (fileBytesMax !== null && thing.size > fileBytesMax) throw new SysError("EFBIG", "file too large");
    const write = () =>
      to.side.write(to.path, this.untilCancelled(from.side.read(from.path)), {
        mode: thing.mode & 0o777,
        ...(this.how.noClobber ? { exclusive: true } : {}),
        ...(to.found ? { found: true } : {}),
      });
    for (let attempt = 1; ; attempt++) {
      try {
        await write();
        break;
      } catch (error) {
        const code = error instanceof SysError ? error.code : null;
        if (code === "EACCES" && this.how.force && there !== null && attempt === 1) await to.side.remove(to.path);
        // The file changed while it was read, or the kernel with half of it has gone: start again.
        else if ((code !== "ECONFLICT" && code !== "EAGAIN") || attempt === ATTEMPTS) throw error;
      }
    }
    if (this.how.preserve) await to.side.attributes(to.path, { mode: thing.mode & 0o777, mtimeMs: thing.mtimeMs });
  }

  private async symlink(from: Place, thing: Thing, { to, there }: { to: Place; there: Thing | null }): Promise<void> {
    if (to.side.link === null)
      throw new SysError("EINVAL", `${from.shown}: links are not copied to this computer (skipped)`);
    if (there !== null && this.how.noClobber) return;
    if (there !== null && there.kind === "directory") throw new SysError("EISDIR", `${to.shown}: is a directory`);
    if (there !== null) await to.side.remove(to.path);
    await to.side.link(to.path, thing.target ?? "");
  }

  private async directory(from: Place, thing: Thing, { to, there }: { to: Place; there: Thing | null }): Promise<void> {
    if (there !== null && there.kind !== "directory") throw new SysError("ENOTDIR", `${to.shown}: Not a directory`);
    const mode = thing.mode & 0o777;
    if (there === null) await to.side.mkdir(to.path, mode | 0o700);
    for (const name of await from.side.names(from.path)) {
      if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) continue;
      await this.below(
        { side: from.side, path: from.side.within(from.path, name), shown: `${from.shown}/${name}` },
        { side: to.side, path: to.side.within(to.path, name), shown: `${to.shown}/${name}`, found: true },
      );
    }
    const modeKept = this.how.preserve || (there === null && (mode | 0o700) !== mode);
    if (modeKept) await to.side.attributes(to.path, { mode, ...(this.how.preserve ? { mtimeMs: thing.mtimeMs } : {}) });
  }

  private async below(from: Place, to: Place): Promise<void> {
    await this.problems.attempt(from.shown, async () => {
      const thing = await from.side.look(from.path, { follow: false });
      if (thing === null) return;
      const there = await to.side.look(to.path, { follow: false });
      if (there?.kind === "symlink" && thing.kind !== "symlink")
        throw new SysError("ELOOP", `${to.shown}: is a link; gsv does not write through links`, ["remove it first"]);
      await this.put(from, thing, { to, there });
    });
  }

  private async *untilCancelled(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.signal.throwIfAborted();
      yield piece;
    }
  }
}

/** `shown`: the source. */
export function tooLarge(shown: string, { fileBytesMax }: Side, { message }: SysError): SysError {
  const here = /: (a file holds at most .*)$/.exec(message)?.[1];
  if (here !== undefined) return new SysError("EFBIG", `${shown}: too large: ${here}`);
  if (fileBytesMax === null || /: endless /.test(message)) return new SysError("EFBIG", message);
  return new SysError("EFBIG", `${shown}: too large: files may have up to ${sizeText(fileBytesMax)}`);
}

// The message must name the path that it is about.
function asOf(to: Place, error: unknown): unknown {
  if (!(error instanceof SysError) || !/^cannot (?:write|make|link|change)\b/.test(error.message)) return error;
  const phrase = /: ([^:]*)$/.exec(error.message)?.[1] ?? error.message;
  return new SysError(error.code, `cannot write ${to.shown}: ${phrase}; nothing was written`, error.hints);
}
