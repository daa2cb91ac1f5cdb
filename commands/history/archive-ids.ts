// Archives by the short id that lists show on a terminal.

import { SysError } from "../../src/abi/errno.ts";
import { shortId } from "../../src/abi/ids.ts";
import type { ArchiveInfo } from "../../src/syscalls/services.ts";
import type { Io } from "../command.ts";

export async function archiveEnding(io: Pick<Io, "sys">, short: string): Promise<string> {
  const found: ArchiveInfo[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: { readonly archives: readonly ArchiveInfo[]; readonly next?: string | null } = await io
      .sys()
      .call("archive.list", after === undefined ? {} : { after });
    found.push(...page.archives.filter(({ id }) => shortId(id) === short));
    after = page.next ?? null;
  }
  if (found.length > 1)
    throw new SysError("EUSAGE", `${found.length} archives end in ${short}; give the whole id`, [
      found.map(({ id }) => id).join(", "),
    ]);
  const [archive] = found;
  if (archive === undefined)
    throw new SysError("ENOENT", `no such archive: ${short}`, ["to list archives: gsv archive list"]);
  return archive.id;
}
