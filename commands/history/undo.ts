// `gsv diff`, `gsv undo`, `gsv rewind`: shows the changes of a run, and reverts them.

import { SysError } from "../../src/abi/errno.ts";
import type { ChangedFile, ShownDiff, Undone } from "../../src/abi/process/undo.ts";
import { wantsColour } from "../../src/lib/text/colour.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { printPage, printText } from "../print.ts";

const pid = field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" }));
const run = field.optional(field.uuid("run (default: the last one)", { meta: "RUN" }));

export const diff = command(
  {
    name: "diff",
    summary: "Show file changes of the last run",
    input: {
      pid,
      run,
      turn: field.optional(field.int("one turn of the run", { min: 1, meta: "N" })),
      stat: field.flag("only file names and line counts"),
    },
    examples: ["gsv diff", "gsv diff task:abc123 --stat", "gsv diff task:abc123 > changes.patch"],
  },
  async ({ args: { stat, ...asked }, json }, io) => {
    const shown = await io.sys().call<ShownDiff>("proc.diff", asked);
    if (json) await printText(io.stdout, jsonLine(shown));
    else if (stat) for (const file of shown.files) await printText(io.stdout, fileLine(file));
    else if (shown.text !== "") await printPage(io, drawn(shown.text, io), { isInert: true });
    if (shown.files.length === 0 && !json) await printText(io.stderr, `${shown.pid} changed no versioned files`);
    if (shown.truncated) await printText(io.stderr, "diff cut: --stat lists all files");
    for (const note of shown.notKept) await printText(io.stderr, note);
    return 0;
  },
);

export const undo = command(
  {
    name: "undo",
    summary: "Undo file changes of the last run",
    input: {
      pid,
      run,
      force: field.flag("also files that were changed since"),
      redo: field.flag("undo the last undo"),
    },
    examples: ["gsv undo", "gsv undo task:abc123 --force", "gsv undo task:abc123 --redo"],
  },
  async ({ args, json }, io) => printUndone(io, await io.sys().call<Undone>("proc.undo", args), json),
);

export const rewind = command(
  {
    name: "rewind",
    summary: "Rewind a process to an earlier message",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      message: field.int("last message to keep (0 for none)", { positional: true, meta: "MESSAGE" }),
      files: field.flag("only the files"),
      history: field.flag("only the history"),
      both: field.flag("history and files (the default)"),
      force: field.flag("also files that were changed since"),
    },
    examples: ["gsv rewind init:1000 12", "gsv rewind task:abc123 12 --files", "gsv undo task:abc123 --redo"],
  },
  async ({ args: { files = false, history = false, both = false, ...rest }, json }, io) => {
    if ([files, history, both].filter(Boolean).length > 1)
      throw new SysError("EUSAGE", "--files, --history and --both cannot be combined");
    const what = files ? "files" : history ? "history" : "both";
    const undone = await io.sys().call<Undone>("proc.rewind", { ...rest, what });
    if (undone.rewound !== null && !json)
      await printText(io.stdout, `${undone.pid} is back at message ${undone.rewound}`);
    return printUndone(io, undone, json);
  },
);

async function printUndone(io: Io, undone: Undone, json: boolean): Promise<number> {
  const words = { added: "restored", changed: "restored", removed: "removed" } as const;
  if (json) await printText(io.stdout, jsonLine(undone));
  else for (const { what, path } of undone.files) await printText(io.stdout, `${words[what]} ${path}`);
  for (const note of undone.notKept) await printText(io.stderr, note);
  if (undone.redo !== null && !json) await printText(io.stderr, `to undo this: ${undone.redo}`);
  return 0;
}

function fileLine({ path, what, added, removed }: ChangedFile): string {
  const lines = added === null || removed === null ? "binary" : `+${added} -${removed}`;
  return `${what.padEnd(7)}  ${lines.padEnd(11)}  ${path}`;
}

const BOLD = "\u001b[1m";
const RED = "\u001b[31m";
const GREEN = "\u001b[32m";
const CYAN = "\u001b[36m";
const PLAIN = "\u001b[0m";

/** Unchanged for programs; sanitized and with colors on a terminal. */
function drawn(text: string, io: Io): string {
  const isColoured = wantsColour(io.stdout.isTTY, io.env);
  if (!isColoured && !io.stdout.isTTY) return text;
  const lines = text.split("\n").map((line) => {
    const shown = reveal(line.replaceAll("\t", "    "));
    const colour = colourOf(line);
    return isColoured && colour !== "" ? `${colour}${shown}${PLAIN}` : shown;
  });
  return lines.join("\n");
}

function colourOf(line: string): string {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|# )/.test(line)) return BOLD;
  if (line.startsWith("@@")) return CYAN;
  if (line.startsWith("+")) return GREEN;
  return line.startsWith("-") ? RED : "";
}
