// The summary of archived histories in a workspace: last message, last answer and path of the archive. Made by plain rules, without a model. Pure.

import type { ProcessRow } from "../../store/kernel/processes/processes.ts";

const SECTIONS_MAX = 20;
const LINE_CHARS_MAX = 300;

export interface Left {
  readonly reason: "reset" | "kill";
  readonly asked: string;
  readonly answered: string;
  readonly messages: number;
  readonly archivedTo: string | null;
  readonly now: number;
}

export function sectionFor({ pid, label }: Pick<ProcessRow, "pid" | "label">, left: Left): string {
  const when = new Date(left.now).toISOString().slice(0, 16).replace("T", " ");
  const name = label === null ? "" : ` ${oneLine(label)}`;
  const rows = [
    `## ${when} ${pid}${name} (${left.reason})`,
    ...(left.asked === "" ? [] : [`- last asked: ${oneLine(left.asked)}`]),
    ...(left.answered === "" ? [] : [`- last answer: ${oneLine(left.answered)}`]),
    `- ${left.messages} messages: ${left.archivedTo}`,
  ];
  return rows.join("\n");
}

function oneLine(text: string): string {
  return shortened(text.replace(/\s+/g, " ").trim());
}

export function shortened(text: string): string {
  return text.length > LINE_CHARS_MAX ? `${text.slice(0, LINE_CHARS_MAX).toWellFormed()}…` : text;
}

/** Adds a section below the head of the file, the newest first; drops the oldest. A repeated reset replaces its section. */
export function summaryWith(old: string, section: string): string {
  const [top = "", ...sections] = old.split(/^(?=## )/m);
  const head = top.trim() === "" ? "# What was done here" : top.trim();
  const archive = section.slice(section.lastIndexOf("\n"));
  const others = sections.map((each) => each.trim()).filter((each) => !each.endsWith(archive));
  const kept = [section, ...others].slice(0, SECTIONS_MAX);
  return `${[head, ...kept].join("\n\n")}\n`;
}
