// Errors of gsv's files as bash words them.

import type { SysError } from "../../abi/errno.ts";

/** Messages of bash; the interpreter looks for the code in front. */
const PHRASES: { readonly [code: string]: string } = {
  ENOENT: "No such file or directory",
  EACCES: "Permission denied",
  EPERM: "Operation not permitted",
  EEXIST: "File exists",
  EISDIR: "Is a directory",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  EINVAL: "Invalid argument",
  EXDEV: "Invalid cross-device link",
  EBUSY: "Device or resource busy",
  EROFS: "Read-only file system",
  EFBIG: "File too large",
  ENOSPC: "No space left on device",
};

export function phraseOf(code: string, message: string): string | undefined {
  const [, why = ""] = /: ((?:the link leads out of|endless device).*)$/s.exec(message) ?? [];
  return why === "" ? PHRASES[code] : `${PHRASES[code]}: ${why}`;
}

export class ShellFileError extends Error {
  readonly code: string;

  /** `redirect` if only this text is printed. */
  constructor({ code, message }: SysError, path: string, redirect = false) {
    const phrase = phraseOf(code, message) ?? message.replace(`${path}: `, "");
    // The interpreter's commands look for this code and use their own words.
    const known = code === "ENOENT" ? "ENOENT: no such file or directory" : phrase;
    super(redirect ? `bash: ${path}: ${phrase}` : known);
    this.code = code;
  }
}

/** Names the file inside the directory that a program was given. */
export function errorInside(error: unknown, path: string): unknown {
  if (!(error instanceof ShellFileError)) return error;
  return Object.assign(new Error(`${path}: ${error.message}`), { code: error.code });
}
