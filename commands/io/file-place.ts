// A file as it is typed where both gsv's own and those of this machine can be meant: `host:` before a path says this machine, from where the
// command was started. Pure.

import { resolve } from "node:path";
import type { FileTarget } from "../../src/syscalls/fs/files-service.ts";
import type { Io } from "../command.ts";

export function fileNamed(io: Pick<Io, "cwd">, text: string): { readonly target: FileTarget; readonly path: string } {
  if (!text.startsWith("host:")) return { target: "gsv", path: text };
  return { target: "host", path: resolve(io.cwd, text.slice("host:".length)) };
}
