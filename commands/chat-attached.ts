// Files of this machine that are given with a message: looked at before anything is sent, then uploaded to the process that gets it.

import { SysError } from "../src/abi/errno.ts";
import { LIMITS } from "../src/abi/limits.ts";
import { sizeText } from "../src/lib/size.ts";
import type { HistoryPage } from "../src/syscalls/services.ts";
import type { Io } from "./command.ts";
import { mediaSent } from "./media.ts";
import { stdinText } from "./prompt.ts";

export interface AttachedFile {
  readonly path: string;
}

/** Refuses what cannot be given, before a word is sent. */
export async function attachedFiles(io: Io, named: readonly string[]): Promise<readonly AttachedFile[]> {
  const paths: string[] = [];
  for (const name of named) paths.push(...(name === "-" ? await namesOnStdin(io) : [name]));
  if (paths.length > LIMITS.imagesPerRequestMax)
    throw new SysError("EUSAGE", `${paths.length} files: one message takes at most ${LIMITS.imagesPerRequestMax}`);
  const host = await io.host();
  for (const path of paths) {
    const found = await host.look(path, { follow: true });
    if (found === null) throw new SysError("ENOENT", `cannot attach ${path}: no such file on this machine`);
    if (found.kind !== "file") throw new SysError("EINVAL", `cannot attach ${path}: it is no file`);
    if (found.size > LIMITS.mediaBytesMax)
      throw new SysError(
        "EFBIG",
        `cannot attach ${path}: ${sizeText(found.size)}, and ${sizeText(LIMITS.mediaBytesMax)} is the most`,
      );
  }
  return paths.map((path) => ({ path }));
}

async function namesOnStdin(io: Io): Promise<readonly string[]> {
  if (io.stdin.isTTY || io.stdin.kind === "none") throw new SysError("EUSAGE", "there are no file names on stdin");
  return (await stdinText(io)).split("\n").filter((line) => line !== "");
}

/** To the process, the caller's init when none is named. */
export async function uploaded(
  io: Io,
  named: string | undefined,
  files: readonly AttachedFile[],
): Promise<{ readonly pid: string; readonly media: readonly string[] }> {
  const pid = named ?? (await io.sys().call<HistoryPage>("proc.history", { limit: 1 })).pid;
  const host = await io.host();
  const media: string[] = [];
  for (const { path } of files) media.push((await mediaSent(io, pid, host.read(path))).id);
  return { pid, media };
}
