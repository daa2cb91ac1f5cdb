// Files that a process is told from its first turn on, as whoever starts it named them: their texts are taken then and there, and a later
// edit of the file is none of the process's context.

import { base } from "../../../fs/path.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { pathsFor } from "../../kernel/files/file-paths.ts";
import { type FilesOptions, saying } from "../../kernel/files/files.ts";
import type { ContextFile } from "../../store/process/prompts.ts";

/** `listed` is one path or several, with commas between. */
export async function contextFilesNamed(
  { namespace, homeOf }: FilesOptions,
  caller: Caller,
  listed: string,
): Promise<ContextFile[]> {
  const absolute = pathsFor(homeOf);
  const files: ContextFile[] = [];
  for (const path of listed.split(",").map((each) => each.trim())) {
    if (path === "") throw new SysError("EINVAL", "context names files, with commas between them");
    const at = await absolute(caller, path);
    const bytesMax = LIMITS.contextFileBytesMax;
    const { bytes, eof } = await saying("read", () => namespace.read(caller, at, { bytesMax }));
    if (!eof || bytes.includes(0))
      throw new SysError("EINVAL", `${path} is no text of at most ${bytesMax / 1024} KiB: nothing was started`);
    files.push({ name: nameFor(base(at), files), text: new TextDecoder().decode(bytes) });
  }
  return files;
}

/** One that /proc/PID/context.d takes, and in the order in which they were named. */
function nameFor(name: string, before: readonly ContextFile[]): string {
  const plain = name
    .replace(/\.md$/, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 80);
  return `${String(before.length + 1).padStart(2, "0")}-${plain}.md`;
}
