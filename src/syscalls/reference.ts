// The manual's reference of syscalls, generated from the declarations.

import type { CallClass } from "../abi/sys.ts";
import { SYSCALLS } from "./all.ts";
import type { By, Field } from "./define.ts";
import type { AnySyscall } from "./table.ts";

export interface ReferenceSection {
  readonly name: string;
  readonly summary: string;
  /** A call with JSON. */
  readonly synopsis: string;
  /** In Markdown. */
  readonly text: string;
}

export const REFERENCE = { page: "syscalls", about: "All syscalls: arguments, callers, effects." } as const;

const CLASSES: { readonly [C in CallClass]: string } = {
  read: "Reads only; needs no running kernel.",
  wait: "Waits and returns when the event has happened.",
  keyed: "Makes changes. Repeated with the same request id, it runs once.",
};

/** For calls that not everyone may make. */
export const BY: { readonly [B in Exclude<By, "anyone">]: string } = {
  person: "Only people may call it, never a process.",
  approved: "Only people may call it, or a process with the user's approval.",
};

export function reference(): readonly ReferenceSection[] {
  return [...SYSCALLS.values()].map(referenceOf);
}

export function referenceOf(call: AnySyscall): ReferenceSection {
  const { name, summary } = call;
  return { name, summary, synopsis: synopsisOf(call), text: textOf(call) };
}

/** The page in Markdown. */
export function referencePage(): string {
  const sections = [...SYSCALLS.keys()].map((name) => `#${syscallText(name)}`);
  return `# Syscalls\n\n${REFERENCE.about}\n\n${sections.join("\n")}`;
}

export function syscallNames(): readonly string[] {
  return [...SYSCALLS.keys()];
}

/** One syscall in Markdown; empty if there is none. */
export function syscallText(of: string): string {
  const call = SYSCALLS.get(of);
  if (call === undefined) return "";
  const { name, summary, synopsis, text } = referenceOf(call);
  return `# ${name}\n\n${summary}.\n\n\`\`\`sh\n${synopsis}\n\`\`\`\n\n${text}\n`;
}

function synopsisOf({ name, input }: AnySyscall): string {
  const needed = Object.entries(input).filter(([, field]) => !field.optional && field.fallback === undefined);
  const shown = needed.map(([key, field]) => `"${key}":${exampleOf(field)}`);
  return shown.length === 0 ? `gsv api ${name}` : `gsv api ${name} '{${shown.join(",")}}'`;
}

function textOf({ name, class: kind, by, capability, input, tool }: AnySyscall): string {
  const facts = [
    CLASSES[kind],
    `Needs the capability \`${capability}\`.`,
    ...(by === "anyone" ? [] : [BY[by]]),
    ...(tool === undefined ? [] : [`For agents it is the tool \`${tool.name}\`.`]),
  ];
  const fields = Object.entries(input).map(([key, field]) => `- \`${key}\` ${typeOf(field)}: ${field.doc}`);
  return [facts.join(" "), fields.length === 0 ? `\`${name}\` takes no arguments.` : fields.join("\n")].join("\n\n");
}

function typeOf(field: Field<unknown, boolean>): string {
  const bounds = boundsOf(field);
  const needs =
    field.fallback !== undefined ? `, default ${JSON.stringify(field.fallback)}` : field.optional ? ", optional" : "";
  return `(${field.choices === undefined ? WORDS[field.kind] : field.choices.join(", ")}${bounds}${needs})`;
}

const WORDS: { readonly [K in Field<unknown>["kind"]]: string } = {
  text: "text",
  words: "list of texts",
  int: "whole number",
  flag: "true or false",
  pid: "pid",
  pids: "list of pids",
  path: "path",
  paths: "list of paths",
  uid: "uid",
  uuid: "id",
  choice: "choice",
  object: "object",
};

function boundsOf({ min, max, longest }: Field<unknown, boolean>): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` from ${min}`;
  if (max !== undefined) return ` up to ${max}`;
  return longest === undefined ? "" : `, at most ${longest} characters`;
}

function exampleOf(field: Field<unknown, boolean>): string {
  switch (field.kind) {
    case "int":
    case "uid":
      return String(field.min ?? 1);
    case "flag":
      return "true";
    case "pid":
      return '"task:abc123"';
    case "pids":
      return '["task:abc123"]';
    case "words":
      return '["…"]';
    case "object":
      return "{}";
    case "choice":
      return JSON.stringify(field.choices?.[0] ?? "…");
    case "path":
      return '"~/notes.md"';
    case "paths":
      return '["~/notes.md"]';
    case "uuid":
      return '"ID"';
    default:
      return '"…"';
  }
}
