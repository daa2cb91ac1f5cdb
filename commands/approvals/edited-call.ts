// Edits a request before approving it: the command or text if there is one, else all arguments as JSON. An unchanged text is no answer:
// leaving the editor approves nothing.

import { SysError } from "../../src/abi/errno.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { jsonObject } from "../../src/lib/json-object.ts";
import type { Io } from "../command.ts";
import { note } from "../io/status.ts";

/** The argument to edit, and the name of its file. */
const TEXTS: { readonly [call: string]: readonly [string, string] } = {
  "shell.exec": ["command", "command.sh"],
  "fs.write": ["content", "content.txt"],
  "fs.edit": ["newString", "replacement.txt"],
  "fs.delete": ["path", "path.txt"],
  "net.fetch": ["url", "url.txt"],
  "hil.plan": ["plan", "plan.md"],
};

export const UNCHANGED = "nothing changed; the request is still open";

/** null if nothing was changed. */
export async function editedArgs(io: Io, { id, call, args, kind }: Approval): Promise<Approval["args"] | null> {
  if (kind === "question")
    throw new SysError("EINVAL", `${id} is a question, not a command. Answer it with: gsv answer ${id} TEXT`);
  const [name, file] = TEXTS[call] ?? [null, "arguments.json"];
  const before = name === null ? JSON.stringify(args, null, 2) : String(args[name] ?? "");
  const isOneLine = !before.includes("\n");
  const edited = await io.person.edit({
    text: before,
    name: file,
    draftName: `approval-${id}`,
    onDraft: (path) => note(io, `gsv: continuing the draft ${path}`),
  });
  const text = isOneLine ? withoutEnd(edited.text) : edited.text;
  const isSame = withoutEnd(edited.text) === withoutEnd(before);
  const changed = isSame ? null : name === null ? objectIn(text) : { ...args, [name]: text };
  edited.done();
  if (text.trim() === "") throw new SysError("EINVAL", "the edited text is empty; the request is still open");
  return changed;
}

/** Editors add a line end. */
function withoutEnd(text: string): string {
  return text.replace(/\n$/, "");
}

function objectIn(text: string): Approval["args"] {
  const value = jsonObject(text);
  if (value !== null) return value as Approval["args"];
  throw new SysError("EINVAL", "the edited text is not a JSON object; the request is still open");
}
