// `gsv context list|show|edit|add|rm`: the files of `~/context.d`, which are part of every prompt, in the order of their names. With `--pid`, the
// context files of one process.

import { SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileView } from "../../src/syscalls/fs/files-service.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { noun } from "../derive.ts";
import { jsonLine } from "../io/status.ts";
import { stdinText } from "../io/stdin.ts";
import { printText } from "../print.ts";

type FileOf<K> = Extract<FileView, { readonly kind: K }>;

const whose = field.optional(
  field.text("one of your agents (default: yourself)", { flag: "of", longest: 32, meta: "NAME" }),
);
const ofProcess = field.optional(field.pid("context of one process", { meta: "PID" }));
const file = field.text("the file, with or without .md", { positional: true, longest: 200, meta: "FILE" });

const NONE_YET = "no context yet: gsv context add 10-style 'Answer in German.'";

const listInput = { of: whose, pid: ofProcess };
const list = command(
  {
    name: "context list",
    summary: "List context files",
    input: listInput,
    examples: ["gsv context list", "gsv context list --pid task:abc123"],
  },
  async ({ args, json }, io) => {
    const files = await filesIn(io, args);
    for (const name of files) await printText(io.stdout, json ? jsonLine({ file: name }) : name);
    if (files.length === 0 && !json) await printText(io.stderr, NONE_YET);
    return 0;
  },
);

const showInput = { file: field.optional(file), of: whose, pid: ofProcess };
const show = command(
  {
    name: "context show",
    summary: "Print context files",
    input: showInput,
    examples: ["gsv context show", "gsv context show 10-style"],
  },
  async ({ args, json }, io) => {
    const directory = directoryOf(args);
    const names = args.file === undefined ? await filesIn(io, args) : [named(args.file)];
    if (names.length === 0 && !json) await printText(io.stderr, NONE_YET);
    for (const [index, name] of names.entries()) {
      const { content } = await read(io, `${directory}/${name}`);
      if (json) await printText(io.stdout, jsonLine({ file: name, content }));
      else
        await printText(io.stdout, names.length === 1 ? content : `${index === 0 ? "" : "\n"}== ${name}\n${content}`);
    }
    return 0;
  },
);

const addInput = {
  file,
  text: field.optional(field.text("the text; - or nothing reads it from stdin", { positional: true, meta: "TEXT" })),
  of: whose,
  pid: ofProcess,
};
const add = command(
  {
    name: "context add",
    summary: "Add a context file",
    input: addInput,
    examples: [
      'gsv context add 10-style "Answer in German."',
      'gsv context add rules "Only look." --pid task:abc123',
      "gsv context add 20-me - < me.md",
    ],
  },
  async ({ args, json }, io) => {
    const path = `${directoryOf(args)}/${named(args.file)}`;
    if ((await filesIn(io, args)).includes(named(args.file)))
      throw new SysError("EEXIST", `${path} exists`, [`to change it: gsv context edit ${args.file}`]);
    const given = args.text === undefined || args.text === "-" ? await stdinText(io) : args.text;
    if (given.trim() === "") throw new SysError("EUSAGE", "no text; nothing was added");
    return written(io, path, given, json);
  },
);

const edit = command(
  {
    name: "context edit",
    summary: "Edit a context file",
    input: { file, of: whose, pid: ofProcess },
    examples: ["gsv context edit 10-style", "gsv context edit 10-user --of friday"],
  },
  async ({ args, json }, io) => {
    const { edit: editFile } = await import("../files/edit.ts");
    return editFile.run([`${directoryOf(args)}/${named(args.file)}`, ...(json ? ["--json"] : [])], io);
  },
);

const remove = command(
  {
    name: "context rm",
    summary: "Remove a context file",
    input: { file, of: whose, pid: ofProcess },
    examples: ["gsv context rm 10-style"],
  },
  async ({ args, json }, io) => {
    const path = `${directoryOf(args)}/${named(args.file)}`;
    const result = await io.sys().call<{ path: string }>("fs.delete", { path });
    await printText(io.stdout, json ? jsonLine(result) : `removed ${result.path}`);
    return 0;
  },
);

export function context(): Promise<Command> {
  return noun("context", "Manage what agents know about you", { list, show, add, edit, rm: remove });
}

interface Whose {
  readonly of?: string;
  readonly pid?: string;
}

function directoryOf({ of, pid }: Whose): string {
  if (of !== undefined && pid !== undefined) throw new SysError("EUSAGE", "--of and --pid cannot be combined");
  return pid === undefined ? `~${of ?? ""}/context.d` : `/proc/${pid}/context.d`;
}

function named(name: string): string {
  if (name.includes("/")) throw new SysError("EUSAGE", `${name} is a path: give a file name in context.d`);
  return name.endsWith(".md") ? name : `${name}.md`;
}

async function filesIn(io: Io, whose: Whose): Promise<readonly string[]> {
  try {
    const view = await io.sys().call<FileView>("fs.read", { path: directoryOf(whose) });
    return view.kind === "directory" ? view.files : [];
  } catch (error) {
    if (!(error instanceof SysError) || error.code !== "ENOENT") throw error;
    // No directory yet. For an unknown account, this call throws.
    if (whose.pid !== undefined) await io.sys().call("proc.get", { pid: whose.pid });
    else if (whose.of !== undefined) await io.sys().call("fs.read", { path: `~${whose.of}` });
    return [];
  }
}

async function read(io: Io, path: string): Promise<FileOf<"file">> {
  const view = await io.sys().call<FileView>("fs.read", { path });
  if (view.kind !== "file") throw new SysError("EISDIR", `${path} is not a text file`);
  return view;
}

async function written(io: Io, path: string, text: string, json: boolean): Promise<number> {
  const content = text.endsWith("\n") ? text : `${text}\n`;
  const result = await io.sys().call<{ path: string; size: number }>("fs.write", { path, content });
  await printText(io.stdout, json ? jsonLine(result) : `wrote ${result.path}`);
  return 0;
}
