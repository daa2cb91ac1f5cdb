// Attachments: files of this computer, checked before anything is sent, and stdin data that does not fit into the message. They are uploaded to
// the process that gets the message.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import type { Io } from "../command.ts";
import { inOnePiece } from "../io/host-files.ts";
import { comesOnStdin, stdinText } from "../io/stdin.ts";
import { mediaSent } from "../proc/media.ts";
import type { Beside } from "./message-text.ts";

/** A file of this computer, or data that does not fit into the message. */
export type Attachment = { readonly path: string } | Beside;

export async function attachedFiles(io: Io, named: readonly string[]): Promise<readonly Attachment[]> {
  const paths: string[] = [];
  for (const name of named) paths.push(...(name === "-" ? await namesOnStdin(io) : [name]));
  if (paths.length > LIMITS.imagesPerRequestMax)
    throw new SysError(
      "EUSAGE",
      `cannot attach ${paths.length} files: at most ${LIMITS.imagesPerRequestMax} per message`,
    );
  const host = await io.host();
  for (const path of paths) {
    const found = await host.look(path, { follow: true });
    if (found === null) throw new SysError("ENOENT", `cannot attach ${path}: no such file on this computer`);
    if (found.kind !== "file") throw new SysError("EINVAL", `cannot attach ${path}: not a regular file`);
    if (found.size > LIMITS.mediaBytesMax)
      throw new SysError(
        "EFBIG",
        `cannot attach ${path}: ${sizeText(found.size)} is more than ${sizeText(LIMITS.mediaBytesMax)}`,
      );
    // An unreadable file must fail before a process is started for the message.
    for await (const _ of host.read(path)) break;
  }
  return paths.map((path) => ({ path }));
}

async function namesOnStdin(io: Io): Promise<readonly string[]> {
  if (!comesOnStdin(io)) throw new SysError("EUSAGE", "no file names on stdin");
  return (await stdinText(io)).split("\n").filter((line) => line !== "");
}

/** Uploaded media by id, and the text that names them for the agent. */
export interface Uploads {
  readonly media: readonly string[];
  readonly references: string;
}

export interface Uploaded extends Uploads {
  readonly pid: string;
}

export async function uploaded(io: Io, named: string | undefined, given: readonly Attachment[]): Promise<Uploaded> {
  const pid = named ?? (await io.sys().call<HistoryPage>("proc.history", { limit: 1 })).pid;
  const media: string[] = [];
  let references = "";
  for (const each of given) {
    if ("path" in each) media.push((await mediaSent(io, pid, (await io.host()).read(each.path))).id);
    else {
      const { id, path, type } = await mediaSent(io, pid, inOnePiece(each.bytes));
      media.push(id);
      references += `\n\n<${each.what} bytes="${each.bytes.length}" type="${type}" file="${path}"/>`;
    }
  }
  return { pid, media, references };
}
