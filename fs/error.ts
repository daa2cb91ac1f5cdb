// What goes wrong with a file, in the words a shell uses. A mount names its own path; the Namespace puts the mount point before it.

import { type Code, SysError } from "../src/abi/errno.ts";

const PHRASES = {
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
  EXDEV: "on another mount: copy it and delete the original",
  EBUSY: "something is mounted there",
  EROFS: "read-only file system",
  EFBIG: "file too large",
  ENOSPC: "no space left",
  ECONFLICT: "changed since it was read",
  EIO: "input/output error",
} as const satisfies Partial<Record<Code, string>>;

export type FileCode = keyof typeof PHRASES;

export function isFileCode(code: unknown): code is FileCode {
  return typeof code === "string" && Object.hasOwn(PHRASES, code);
}

export class FileError extends SysError {
  readonly path: string;
  readonly phrase: string;

  constructor(code: FileCode, path: string, phrase: string = PHRASES[code]) {
    super(code, `${path}: ${phrase}`);
    this.path = path;
    this.phrase = phrase;
  }

  /** The same error as seen from outside the mount. */
  under(mountPoint: string): FileError {
    if (mountPoint === "/") return this;
    const path = this.path === "/" ? mountPoint : mountPoint + this.path;
    return new FileError(this.code as FileCode, path, this.phrase);
  }
}

/** In place of a verb that a mount has not: nothing is made, moved or taken away there. */
export async function refused(_caller: unknown, path: string): Promise<never> {
  throw new FileError("EPERM", path);
}
