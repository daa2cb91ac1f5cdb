// Restores one file through gsv's filesystem, as its owner. Safe to repeat.

import { unlessRefused } from "../../../fs/error.ts";
import { parent } from "../../../fs/path.ts";
import type { Caller } from "../../abi/identity.ts";
import type { FileState } from "../../abi/process/undo.ts";
import type { ChangePlace } from "./change-places.ts";

/** `bytes`: the old content; ignored for a deletion. */
export async function restoreFile(
  place: ChangePlace,
  caller: Caller,
  { path, to, bytes }: { readonly path: string; readonly to: FileState; readonly bytes: Uint8Array },
): Promise<void> {
  const { namespace, root } = place.files;
  const at = `${root}/${path}`;
  const there = await unlessRefused(() => namespace.lstat(caller, at));
  if (to === null) {
    if (there === null) return;
    await namespace.remove(caller, at, { recursive: false });
    return await dropEmpty(place, caller, parent(at));
  }
  if (there !== null && (there.kind !== "file" || to.mode === "120000"))
    await namespace.remove(caller, at, { recursive: false });
  await namespace.mkdir(caller, parent(at) || "/", { parents: true });
  if (to.mode === "120000") return await namespace.link(caller, at, Buffer.from(bytes).toString());
  const isProgram = to.mode === "100755";
  const mode = place.modeOf(path) ?? (isProgram ? 0o755 : 0o644);
  await namespace.write(caller, at, bytes, { at: "start", ...(there?.kind === "file" ? {} : { mode }) });
  const now = await namespace.stat(caller, at);
  if (((now.mode & 0o100) !== 0) !== isProgram) await namespace.setattr(caller, at, { mode });
}

async function dropEmpty({ files: { namespace, root } }: ChangePlace, caller: Caller, from: string): Promise<void> {
  for (let directory = from; directory.length > Math.max(1, root.length); directory = parent(directory)) {
    const gone = await unlessRefused(async () => {
      await namespace.remove(caller, directory, { recursive: false });
      return true;
    });
    if (gone === null) return;
  }
}
