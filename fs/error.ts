// Errors of mounts: code, path and text. A mount uses paths below its own root; the Namespace adds the mount point.

import { ERRNO_TEXT, SysError } from "../src/abi/errno.ts";

/** EXDEV with advice. */
const PHRASES = { ...ERRNO_TEXT, EXDEV: "on another mount: copy it and delete the original" } as const;

type FileCode = keyof typeof PHRASES;

function isFileCode(code: unknown): code is FileCode {
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

/** For verbs that a mount does not support. */
export async function refused(_caller: unknown, path: string): Promise<never> {
  throw new FileError("EPERM", path);
}

/** Translates node:fs errors to FileError. */
export async function asFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileErrorOf(error, path);
  }
}

export function fileErrorOf(error: unknown, path: string): unknown {
  if (error instanceof SysError) return error;
  const code: unknown = (error as NodeJS.ErrnoException).code;
  return new FileError(isFileCode(code) ? code : "EIO", path);
}

/** null if the file is missing or refused. */
export async function unlessRefused<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
