// The manual page of a command, made of its declaration.

import { SYSCALLS } from "../../src/syscalls/all.ts";
import { BY } from "../../src/syscalls/reference.ts";
import type { AnySyscall } from "../../src/syscalls/table.ts";
import { type Spec, usageLine } from "../args.ts";
import type { Command } from "../command.ts";
import { flagRows, wordRows } from "./help-text.ts";
import type { Block, Part, Row } from "./layout.ts";

const EXIT_NOTE = /^Exit status: /;

export function commandParts(command: Command, seeAlso: readonly string[]): Part[] {
  const { spec, verbs } = command;
  const call = command.call === undefined ? undefined : SYSCALLS.get(command.call);
  return [
    { title: "NAME", blocks: [text(`gsv ${spec.name} - ${spec.summary}`)] },
    { title: "SYNOPSIS", blocks: [{ kind: "usage" as const, text: usageLine(spec) }] },
    { title: "DESCRIPTION", blocks: descriptionOf(spec, call) },
    ...(verbs === undefined
      ? [
          { title: "ARGUMENTS", blocks: rowsOf(wordRows(spec)) },
          { title: "FLAGS", blocks: rowsOf(flagRows(spec)) },
          {
            title: "EXAMPLES",
            blocks: spec.examples.length === 0 ? [] : [{ kind: "code" as const, lines: spec.examples }],
          },
          { title: "EXIT STATUS", blocks: exitOf(spec, call) },
        ]
      : [
          {
            title: "COMMANDS",
            blocks: rowsOf([...verbs].map(([verb, { summary }]): Row => [`gsv ${spec.name} ${verb}`, summary])),
          },
        ]),
    { title: "SEE ALSO", blocks: seeAlso.length === 0 ? [] : [text(seeAlso.join(", "))] },
  ].filter(({ blocks }) => blocks.length > 0);
}

function descriptionOf(spec: Spec, call: AnySyscall | undefined): Block[] {
  const notes = (spec.notes ?? []).filter((note) => !EXIT_NOTE.test(note));
  return [text(`${spec.summary}.`), ...notes.map(text), ...(call === undefined ? [] : [text(callText(call))])];
}

function callText({ name, class: kind, by, tool }: AnySyscall): string {
  const sentences = {
    read: `Syscall ${name}: changes nothing and needs no running kernel.`,
    wait: `Syscall ${name}: returns when the event that it waits for has happened.`,
    keyed: `Syscall ${name}: makes a change. A call repeated with the same request id runs once.`,
  };
  const persons = by === "anyone" ? "" : ` ${BY[by]}`;
  const agents = tool === undefined ? "" : ` Agents use it as the tool ${tool.name}.`;
  return sentences[kind] + persons + agents;
}

// Status 3 only applies to commands with an argument that names something.
function exitOf(spec: Spec, call: AnySyscall | undefined): Block[] {
  const exits = spec.notes?.find((note) => EXIT_NOTE.test(note));
  if (exits !== undefined) return [text(exits.replace(EXIT_NOTE, ""))];
  const names = Object.values(spec.input).some(
    ({ kind, of }) => ["pid", "pids", "path", "uuid"].includes(kind) || of !== undefined,
  );
  return rowsOf([
    ["0", "done"],
    ["1", "failed, or refused"],
    ["2", "wrong usage"],
    ...(names ? [["3", "no such process, session or file"] as const] : []),
    ...(call === undefined ? [] : [["75", "unavailable, try later"] as const]),
    ["78", "configuration, or a home of another version"],
  ]);
}

function text(value: string): Block {
  return { kind: "text", text: value };
}

function rowsOf(rows: readonly Row[]): Block[] {
  return rows.length === 0 ? [] : [{ kind: "rows", rows }];
}
