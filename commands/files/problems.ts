// What went wrong with the paths of one command: each told at once, in the words every shell uses for it, while the others go on. The
// first decides the exit status. What is not about a path (no kernel, no credential, a fault) ends the command.

import { ERRNO_TEXT, exitStatusOf, SysError } from "../../src/abi/errno.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import type { Io } from "../command.ts";
import { printError } from "../io/status.ts";
import { PHRASES } from "./phrases.ts";

/** Also about the path, told as the kernel tells them. */
const TOLD = new Set([...Object.keys(PHRASES), "EINVAL", "ESRCH", "EIO", "ENOSYS"]);

export class Problems {
  /** Of the first one. */
  status = 0;
  failures = 0;

  constructor(
    private readonly io: Io,
    private readonly command: string,
    private readonly json: boolean,
    /** What else may be meant, looked up only where something failed. */
    private readonly meant: (path: string, error: SysError) => Promise<readonly string[]> = async () => [],
  ) {}

  /** Null where it failed, which is told. */
  async attempt<T>(path: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      await this.tell(path, error);
      return null;
    }
  }

  async tell(path: string, error: unknown): Promise<void> {
    if (!(error instanceof SysError) || !TOLD.has(error.code)) throw error;
    this.status ||= exitStatusOf(error);
    this.failures++;
    const { code, message, hints } = this.worded(path, error);
    const all = [...hints, ...(await this.meant(path, error))];
    await printError(this.io, new SysError(code, message, all), this.json);
  }

  /** The same error for somebody who typed this path after this command. */
  worded(path: string, error: SysError): SysError {
    return wordedFor({ command: this.command, path, home: this.io.env.HOME }, error);
  }
}

interface Typed {
  readonly command: string;
  readonly path: string;
  /** The home on this machine. */
  readonly home?: string | undefined;
}

function wordedFor({ command, path, home }: Typed, error: SysError): SysError {
  const phrase = PHRASES[error.code];
  const says = /: ([^:]*)$/.exec(error.message)?.[1] ?? "";
  // Where the kernel says more than the phrase, what it says is told.
  const plain = phrase !== undefined && (KERNEL_PHRASES.has(says) || says === phrase);
  const hints = hintsFor({ command, path, home }, error);
  if (!plain) return new SysError(error.code, `${command}: ${error.message}`, [...hints, ...error.hints]);
  return new SysError(error.code, `${command}: ${path}: ${phrase}`, hints);
}

/** How an error of a mount ends when it says no more than its code does; between mounts, fs/error.ts adds what helps. */
const KERNEL_PHRASES: ReadonlySet<string> = new Set([...Object.values(ERRNO_TEXT), "copy it and delete the original"]);

function hintsFor({ command, path, home }: Typed, { code }: SysError): string[] {
  if (code === "ENOENT" && home !== undefined && home.length > 1 && (path === home || path.startsWith(`${home}/`))) {
    const meant = `~${path.slice(home.length)}`;
    return [
      `your shell makes ${home} of ~ before gsv sees it: in quotes it is your home inside gsv`,
      `gsv ${command} ${quoted(meant)}`,
    ];
  }
  if (code === "EISDIR" && command === "cat") return [`gsv ls ${quoted(path)} lists it`];
  return [];
}
