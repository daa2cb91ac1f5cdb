// `gsv edit`: edits a file of gsv in the editor of this computer. The text is saved only if the file is unchanged since. Else the file and the
// draft are both kept, and the path of the draft is printed.

import { base } from "../../fs/path.ts";
import { SysError } from "../../src/abi/errno.ts";
import { uuidv7 } from "../../src/abi/ids.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Edited, Io } from "../command.ts";
import { command } from "../define.ts";
import { inOnePiece } from "../io/host-files.ts";
import { jsonLine, note } from "../io/status.ts";
import { piecesOf, putPieces } from "./copy/gsv-side.ts";
import { isMissing, statOf } from "./entries.ts";
import { Problems } from "./problems.ts";

const input = { path: field.path("the file, which may be new", { positional: true, meta: "PATH", of: "file" }) };

export const edit: Command = command(
  {
    name: "edit",
    summary: "Edit a file in your editor",
    input,
    examples: ["gsv edit '~/notes.md'", "EDITOR=nano gsv edit '~/context.d/10-style.md'"],
    notes: ["Starts $VISUAL or $EDITOR on a private copy. If the file changes meanwhile, gsv keeps both versions."],
  },
  async ({ args: { path }, json }, io) => {
    const problems = new Problems(io, "edit", json);
    const began = await problems.attempt(path, () => original(io, path));
    if (began === null) return problems.status;
    // The editor owns the terminal: ignore signals from its keys.
    const stop = io.onSignal(() => {});
    const name =
      base(path)
        .replace(/[^\w.-]/g, "_")
        .slice(-NAME_CHARS_MAX) || "text";
    const onDraft = (draft: string) => note(io, `gsv: continuing your draft (delete ${draft} to start over)`);
    const edited = await io.person
      .edit({ text: began.text, name, draftName: `${draftKey(path, began)}-${name}`, onDraft })
      .finally(stop);
    const changed = edited.text !== began.text;
    if (changed) await writeBack(io, path, { began, edited, problems });
    edited.done();
    if (json) await io.stdout.write(jsonLine({ path, changed }));
    else await note(io, changed ? `wrote ${path}` : `no changes to ${path}`);
    return 0;
  },
);

const NAME_CHARS_MAX = 100;

/** A draft is only continued for the content that it was made from. */
function draftKey(path: string, { where, version }: Original): string {
  return sha256Hex(`${where ?? path} ${version ?? ""}`).slice(0, 12);
}

interface Original {
  readonly text: string;
  readonly where: string | null;
  /** null for a new file. */
  readonly version: string | null;
}

async function original(io: Io, path: string): Promise<Original> {
  const sys = io.sys();
  try {
    const { version, kind, path: where } = await statOf(sys, path, { link: false });
    if (kind === "directory") throw new SysError("EISDIR", `${path}: Is a directory`);
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(sys, path)) pieces.push(piece);
    return { text: textOf(path, Buffer.concat(pieces)), where, version };
  } catch (error) {
    if (isMissing(error)) return { text: "", where: null, version: null };
    throw error;
  }
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Reported below, like a NUL byte.
  }
  throw new SysError("EINVAL", `${path}: not UTF-8 text; an editor would damage it`, [
    `gsv cp ${quoted(path)} host:./ copies it to this machine`,
  ]);
}

interface WriteBack {
  readonly began: Original;
  readonly edited: Edited;
  readonly problems: Problems;
}

async function writeBack(io: Io, path: string, { began, edited, problems }: WriteBack): Promise<void> {
  const guard = began.version === null ? { exclusive: true } : { ifVersion: began.version };
  const upload = uuidv7(io.clock.now(), io.random);
  try {
    await putPieces(io.sys(), inOnePiece(Buffer.from(edited.text)), { how: { path, ...guard }, upload });
  } catch (error) {
    const kept = edited.keep();
    const draft = [`your text is saved in ${kept}`, `gsv cp ${quoted(`host:${kept}`)} ${quoted(path)} copies it there`];
    if (!(error instanceof SysError)) throw new SysError("EIO", `edit: ${String(error)}`, draft);
    if (error.code === "ECONFLICT" || error.code === "EEXIST")
      throw new SysError("ECONFLICT", `edit: ${path} was changed meanwhile and was not overwritten`, draft);
    const { code, message, hints } = problems.worded(path, error);
    throw new SysError(code, message, [...hints, ...draft]);
  }
}
