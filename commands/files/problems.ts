// Errors about the paths of a command: each is reported at once, in the words of every shell, and the command continues. The first decides the
// exit status. Other errors (no kernel, no credential, a bug) end the command.

import { ERRNO_TEXT, exitStatusOf, SysError } from "../../src/abi/errno.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import type { Io } from "../command.ts";
import { printError } from "../io/status.ts";
import { PHRASES } from "./phrases.ts";

const ABOUT_PATHS = new Set([...Object.keys(PHRASES), "EINVAL", "ESRCH", "EIO", "ENOSYS"]);

export class Problems {
  status = 0;
  failures = 0;

  constructor(
    private readonly io: Io,
    private readonly command: string,
    private readonly json: boolean,
    /** More hints, only computed after a failure. */
    private readonly moreHints: (path: string, error: SysError) => Promise<readonly string[]> = async () => [],
  ) {}

  /** Reports a failure and returns null. */
  async attempt<T>(path: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      await this.report(path, error);
      return null;
    }
  }

  async report(path: string, error: unknown): Promise<void> {
    if (!(error instanceof SysError) || !Problems.isAboutPath(error)) throw error;
    await this.reportAs(
      path,
      error,
      `${this.command}: ${Problems.isPlain(error) ? `${path}: ` : ""}${Problems.phraseOf(error)}`,
    );
  }

  async reportAs(path: string, error: SysError, message: string): Promise<void> {
    this.status ||= exitStatusOf(error);
    this.failures++;
    const hints = [...this.hints(path, error), ...(await this.moreHints(path, error))];
    await printError(this.io, new SysError(error.code, message, hints), this.json);
  }

  worded(path: string, error: SysError): SysError {
    const message = `${this.command}: ${Problems.isPlain(error) ? `${path}: ` : ""}${Problems.phraseOf(error)}`;
    return new SysError(error.code, message, this.hints(path, error));
  }

  static isAboutPath({ code }: SysError): boolean {
    return ABOUT_PATHS.has(code);
  }

  static isPlain({ code, message }: SysError): boolean {
    const phrase = PHRASES[code];
    const says = /: ([^:]*)$/.exec(message)?.[1] ?? "";
    return phrase !== undefined && (KERNEL_PHRASES.has(says) || says === phrase);
  }

  /** The phrase that every shell uses, or the kernel's message if it says more. */
  static phraseOf(error: SysError): string {
    return Problems.isPlain(error) ? (PHRASES[error.code] ?? "") : error.message;
  }

  private hints(path: string, error: SysError): string[] {
    const { command } = this;
    const own = hintsFor({ command, path, home: this.io.env.HOME }, error);
    return Problems.isPlain(error) ? own : [...own, ...error.hints];
  }
}

interface Typed {
  readonly command: string;
  readonly path: string;
  readonly home?: string | undefined;
}

/** Ends of messages that add nothing to the code; the last one is that of fs/error.ts for moves between mounts. */
const KERNEL_PHRASES: ReadonlySet<string> = new Set([...Object.values(ERRNO_TEXT), "copy it and delete the original"]);

function hintsFor({ command, path, home }: Typed, { code }: SysError): string[] {
  if (code === "ENOENT" && home !== undefined && home.length > 1 && (path === home || path.startsWith(`${home}/`))) {
    const meant = `~${path.slice(home.length)}`;
    return [
      `your shell replaced ~ with ${home}; quote it to mean your home inside gsv`,
      `gsv ${command} ${quoted(meant)}`,
    ];
  }
  if (code === "EISDIR" && command === "cat") return [`gsv ls ${quoted(path)} lists it`];
  return [];
}
