// Archives by the short id that lists show on a terminal.

import { SysError } from "../../src/abi/errno.ts";
import { shortId } from "../../src/abi/ids.ts";
import type { ArchiveInfo } from "../../src/syscalls/services.ts";
import type { Io } from "../command.ts";
import { allPages, declared } from "../derive.ts";

export async function archiveEnding(io: Pick<Io, "sys">, short: string): Promise<string> {
  const page = await allPages(io.sys(), await declared("archive.list"), {});
  const { archives } = page as { readonly archives: readonly ArchiveInfo[] };
  const found = archives.filter(({ id }) => shortId(id) === short);
  if (found.length > 1)
    throw new SysError("EUSAGE", `${found.length} archives end in ${short}; give the whole id`, [
      found.map(({ id }) => id).join(", "),
    ]);
  const [archive] = found;
  if (archive === undefined)
    throw new SysError("ENOENT", `no such archive: ${short}`, ["to list archives: gsv archive list"]);
  return archive.id;
}
