// Expected failures everywhere in gsv: one error class with a Unix code, one line of text, and hints about what to do.
// The code alone decides the exit status. Model failures are stream events and tool failures are results: neither is thrown.

const EXIT_STATUS = {
  EUSAGE: 2, // the command line or the arguments are wrong
  EINVAL: 2, // a value is wrong
  ESRCH: 3, // no such process (another account's process reads the same)
  ENOENT: 3, // no such file, archive, approval …
  EAUTH: 4, // credentials missing or rejected
  EBLOCKED: 5, // a person has to answer or release something first
  ELIMIT: 6, // a limit stopped it
  EFBIG: 6, // larger than gsv takes
  EAGAIN: 75, // unavailable now, try later; nothing was saved
  ENOSPC: 75, // the disk is full; nothing was saved
  ECONFIG: 78, // configuration, or the wrong version of gsv for this home
  ETIMEDOUT: 124,
  ECANCELED: 130,
  EPERM: 1, // the caller may not do this
  EACCES: 1, // file permissions
  EEXIST: 1,
  ECONFLICT: 1, // a request key reused with other content, or a decision already made
  EBUSY: 1,
  EDEADLK: 1, // processes would wait for each other
  EIO: 1,
  EISDIR: 1,
  ELOOP: 1,
  ENAMETOOLONG: 1,
  ENOSYS: 1, // no such syscall, or a mount that has no such verb
  ENOTDIR: 1,
  ENOTEMPTY: 1,
  EPROTO: 1,
  EROFS: 1,
  ESTALE: 1, // the base has been changed meanwhile
  EXDEV: 1,
} as const;

export type Code = keyof typeof EXIT_STATUS;

/** The Unix text of a code. Mounts use it as it is, commands capitalize it. */
export const ERRNO_TEXT = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EEXIST: "file exists",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
  EINVAL: "invalid argument",
  EXDEV: "invalid cross-device link",
  EBUSY: "something is mounted there",
  EROFS: "read-only file system",
  EFBIG: "file too large",
  ENOSPC: "no space left",
  ECONFLICT: "changed since it was read",
  EIO: "input/output error",
} as const satisfies Partial<Record<Code, string>>;

/** The text of an error of the operating system, or its code if there is none. */
export function errnoText(error: unknown): string {
  const code = String((error as { code?: unknown }).code);
  return Object.hasOwn(ERRNO_TEXT, code) ? ERRNO_TEXT[code as keyof typeof ERRNO_TEXT] : code;
}

export class SysError extends Error {
  readonly code: Code;
  /** What to do, one short line each. */
  readonly hints: readonly string[];

  constructor(code: Code, message: string, hints: readonly string[] = []) {
    super(message);
    this.code = code;
    this.hints = hints;
  }
}

/** A request id that came before with other content. */
export class KeyReused extends SysError {
  constructor(message: string) {
    super("ECONFLICT", message);
  }
}

/** Too many attempts: worth another one after a while. */
export class TooSoon extends SysError {
  constructor(
    what: string,
    readonly retryMs: number,
  ) {
    super("EAUTH", `${what}: try again in ${Math.ceil(retryMs / 1000)} s`);
  }
}

export function isCode(value: unknown): value is Code {
  return typeof value === "string" && Object.hasOwn(EXIT_STATUS, value);
}

/** Translates errors about a full disk or too many open files. Null for other errors. */
export function shortage(error: unknown): SysError | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new SysError("ENOSPC", "the disk is full; nothing was saved", ["free some disk space and try again"]);
  if (code !== "EMFILE" && code !== "ENFILE") return null;
  const whose = code === "EMFILE" ? "the kernel of this home" : "this computer";
  return new SysError("EAGAIN", `${whose} has too many open files`, [
    "try again later, or raise the limit: ulimit -n, then gsv kernel restart",
  ]);
}

export function exitStatusOfCode(code: Code): number {
  return EXIT_STATUS[code];
}

export function exitStatusOf(error: unknown): number {
  return error instanceof SysError ? EXIT_STATUS[error.code] : 1;
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Exit statuses after a signal or a limit, as in shells and `timeout`. */
export const ENDED_BY = { time: 124, HUP: 129, INT: 130, KILL: 137, PIPE: 141, TERM: 143, output: 153 } as const;
