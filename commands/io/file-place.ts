// A file argument: `host:PATH` is a file of this computer, relative to the current directory; other paths are inside gsv. Pure.

import { resolve } from "node:path";
import type { FileTarget } from "../../src/syscalls/fs/files-service.ts";
import type { Io } from "../command.ts";

export function fileNamed(io: Pick<Io, "cwd">, text: string): { readonly target: FileTarget; readonly path: string } {
  if (!text.startsWith("host:")) return { target: "gsv", path: text };
  return { target: "host", path: resolve(io.cwd, text.slice("host:".length)) };
}
