// Results as text. Pure, and small enough to load with every declaration.

import { shortId } from "../abi/ids.ts";
import type { Message } from "../abi/process/message.ts";
import { exactUsd, microsOf } from "../abi/process/money.ts";
import type { NextTry, ProcessInfo, RunFailure, WaitsFor } from "../abi/process/process.ts";
import type { Commit } from "../abi/repo.ts";
import { isoTime, type When } from "../lib/text/days.ts";
import { reveal } from "../lib/text/sanitize.ts";
import type { ProcessCaps } from "./account/account-service.ts";
import type { Column, Print } from "./define.ts";
import type { Closed, HistoryPage, Signalled, TraceRow } from "./services.ts";

export function waitsForText(waits: WaitsFor): string {
  switch (waits.kind) {
    case "approval":
    case "question":
      return `${waits.kind} ${waits.id} (${waits.summary})`;
    case "model":
    case "outage":
      return `${waits.reason}; retrying ${waits.model} at ${new Date(waits.until).toISOString().slice(0, 19)}Z${attemptText(waits)}`;
    case "restart":
      return `${waits.reason} at ${new Date(waits.until).toISOString()}`;
    default:
      return waits.reason;
  }
}

function attemptText({ attempt }: NextTry): string {
  return attempt === undefined ? "" : ` (${attempt.next} of ${attempt.of})`;
}

export function waitsText({ waitsFor }: ProcessInfo): string {
  return waitsFor === null ? "-" : waitsForText(waitsFor);
}

const HELD_BY: { readonly [K in WaitsFor["kind"]]?: string } = {
  credential: "auth",
  outage: "outage",
  restart: "restart",
  disk: "disk",
  limit: "limit",
};

/** With the reason in parentheses if the kernel holds the process. */
export function stateText({ state, interrupted, waitsFor }: ProcessInfo): string {
  if (interrupted) return "interrupted";
  const by = state === "paused" && waitsFor !== null ? HELD_BY[waitsFor.kind] : undefined;
  return by === undefined ? state : `${state} (${by})`;
}

/** On a terminal: the archive by its short id. */
export function closedForPeople(verb: "reset" | "killed", closed: Closed): string {
  const { archiveId } = closed;
  return closedText(verb, closed, archiveId === null ? null : `: gsv archive show ${shortId(archiveId)}`);
}

export function closedText(verb: "reset" | "killed", closed: Closed, where: string | null = null): string {
  if (closed.pending) return `${verb === "reset" ? "reset" : "end"} of ${closed.pid} follows this turn`;
  const lost = closed.undelivered > 0 ? ` and ${closed.undelivered} undelivered` : "";
  const kept = checkpointText(closed);
  const damaged = closed.damagedIn === undefined ? "" : `; its damaged database is in ${closed.damagedIn}`;
  if (closed.archivedTo === null) return `${verb} ${closed.pid} (not archived${damaged}${kept})`;
  const place = where ?? ` to ${closed.archivedTo}`;
  return `${verb} ${closed.pid} (archived ${closed.archivedMessages} messages${lost}${place}${kept})`;
}

function checkpointText({ checkpoint }: Closed): string {
  if (checkpoint === undefined) return "";
  const { workspaceId, commit, fault } = checkpoint;
  if (fault !== null) return `; no checkpoint in ${workspaceId}: ${fault}`;
  return commit === null ? "" : `; checkpoint ${commit.slice(0, 10)} in ${workspaceId}`;
}

/** `/proc/PID/status` has the same fields: statusText in fs/proc/facts.ts. */
export function processText(row: ProcessInfo, when: When = isoTime): string {
  return factsText([
    ["pid", row.pid],
    ["label", row.label ?? "-"],
    ["owner", row.owner],
    ["runs as", row.runAs],
    ["profile", row.profile],
    ["parent", row.parentPid ?? "-"],
    ["mode", row.mode],
    ...(row.restart === undefined ? [] : [["restart", row.restart] as const]),
    ["state", row.interrupted ? `${row.state} (interrupted)` : stateText(row)],
    ["last run", row.lastStatus ?? "-"],
    ["waits for", waitsText(row)],
    ["queue", String(row.queued)],
    ["cost", exactUsd(microsOf(row.costUsd))],
    ["tokens", String(row.tokens)],
    ["cwd", row.cwd],
    ["workspace", row.workspaceId ?? "-"],
    ["created", when(row.createdAt)],
    ["last active", row.lastActiveAt === null ? "-" : when(row.lastActiveAt)],
  ]);
}

export function factsText(facts: readonly (readonly [string, string])[]): string {
  // A label of several lines must not look like another field.
  return facts.map(([name, value]) => `${name.padEnd(12)}${reveal(value)}`).join("\n");
}

export function commitLine({ id, at, author, subject }: Commit, when: When = isoTime): string {
  return `${id.slice(0, 10)}  ${when(at).slice(0, 19).replace("T", " ")}  ${author}  ${subject}`;
}

export function capsText({ pid, runAs, capabilities, dropped }: ProcessCaps): string {
  const rows = [
    `pid       ${pid}`,
    `runs as   ${runAs}`,
    `may       ${capabilities.join(" ") || "nothing"}`,
    ...(dropped.length > 0 ? [`dropped   ${dropped.join(" ")}`] : []),
  ];
  return rows.join("\n");
}

export function signalledForPeople(signalled: Signalled): string {
  return signalled.closed === undefined ? signalledText(signalled) : closedForPeople("killed", signalled.closed);
}

export function signalledText({ pid, signal, state, closed }: Signalled): string {
  if (closed !== undefined) return closedText("killed", closed);
  // A running run stops at its next safe point.
  if (signal === "STOP" && state !== "stopped") return `${pid} stops at its next safe point (now ${state})`;
  return `${pid} ${state ?? "gone"}`;
}

/** The messages of a page, and why the run is held. */
export function historyRows({
  messages,
  failure,
}: Pick<HistoryPage, "messages" | "failure">): readonly (Message | FailureRow)[] {
  if (failure === undefined) return messages;
  return [...messages, { ...failure, role: "failure", content: waitsForText(failure.waitsFor) }];
}

export function historyLines(page: Pick<HistoryPage, "messages" | "failure">): readonly string[] {
  return historyRows(page).map((row) => messageLine(row));
}

interface FailureRow extends RunFailure {
  readonly role: "failure";
  readonly content: string;
}

export function messageLine(message: Message | FailureRow, when: When = isoTime): string {
  const head = `[${when(message.timestamp)}] ${message.role}:`;
  switch (message.role) {
    case "assistant": {
      const calls = (message.content.toolCalls ?? []).map((call) => `[tool] ${call.name} ${JSON.stringify(call.args)}`);
      return [message.content.text === "" ? head : `${head} ${message.content.text}`, ...calls].join("\n");
    }
    case "toolResult":
      return `${head} ${message.content.toolName}${message.content.isError ? ` (${message.content.outcome})` : ""}: ${message.content.output}`;
    case "user":
      return [`${head} ${message.content}`, ...(message.media ?? []).map(({ path }) => `[attached] ${path}`)].join(
        "\n",
      );
    default:
      return `${head} ${message.content}`;
  }
}

export function inPartText(pid: string): string {
  return `the answer is cut; all of it: gsv proc message --pid ${pid}`;
}

/** Notes about cut messages. */
export function partsText({ pid, inPart }: HistoryPage): string | null {
  if (inPart.length === 0) return null;
  const said = inPart.map((id) => `message ${id} is cut; all of it: gsv proc message --pid ${pid} ${id}`);
  return said.join("; ");
}

export function traceLine(row: TraceRow, when: When = isoTime): string {
  return `${when(row.at)} ${row.call}(${row.args}) = ${row.outcome} <${row.ms.toFixed(1)} ms>`;
}

/** A result as plain text, for models and pipes. */
export function renderText(print: Print<unknown>, result: unknown): string {
  switch (print.kind) {
    case "value":
      return [print.text(result, isoTime), ...noted(print.cut?.(result))].join("\n");
    case "silent":
      return "ok";
    case "list": {
      const rows = print.rows(result);
      return [
        ...(rows.length === 0 ? [print.empty] : rows.map((row) => print.line(row as never, isoTime))),
        ...noted(print.note?.(result)),
        ...noted(print.cut?.(result)),
      ].join("\n");
    }
    case "table": {
      const rows = print.rows(result);
      if (rows.length === 0) return print.empty;
      const lines = rows.map((row) => print.columns.map((column) => columnText(column, row)).join("\t"));
      return [print.columns.map(({ head }) => head).join("\t"), ...lines, ...noted(print.note?.(result))].join("\n");
    }
  }
}

function noted(note: string | null | undefined): string[] {
  return note ? [`(${note})`] : [];
}

/** Text of a cell; an instant in full. */
export function columnText(column: Column, row: object): string {
  const { cell } = column;
  if (cell === undefined) {
    const at = instantOf(column, row);
    return Number.isNaN(at) ? "-" : new Date(at).toISOString();
  }
  return typeof cell === "string" ? textIn(row, cell) : cell(row as never);
}

export function instantOf({ since }: Extract<Column, { readonly since: unknown }>, row: object): number {
  return typeof since === "string" ? ((row as Fields)[since] as number) : since(row as never);
}

type Fields = { readonly [field: string]: unknown };

function textIn(row: object, field: string): string {
  const value = (row as Fields)[field];
  return value === null || value === undefined ? "-" : String(value);
}
