// What a process is, as the text of its files. Pure: what was found out comes in.

import { isInit } from "../../src/abi/ids.ts";
import { LIMITS } from "../../src/abi/limits.ts";
import type { ProcessInfo, WaitsFor } from "../../src/abi/process.ts";
import { quoted } from "../../src/lib/quote.ts";

type Fact = readonly [string, string | number | null];

export function statusText(info: ProcessInfo, waitsForText: (waits: WaitsFor) => string): string {
  const { waitsFor } = info;
  const next = waitsFor?.kind === "model" || waitsFor?.kind === "outage" ? waitsFor : null;
  return factsText([
    ["Name", info.label],
    ["Pid", info.pid],
    ["PPid", info.parentPid],
    ["Owner", info.owner],
    ["RunAs", info.runAs],
    ["Profile", info.profile],
    ["State", info.interrupted ? `${info.state} (interrupted)` : info.state],
    ["Run", info.activeRunId],
    ["Queue", info.queued],
    ["Cwd", info.cwd],
    ["Workspace", info.workspaceId],
    ["WaitsFor", waitsFor === null ? null : waitsForText(waitsFor)],
    ["NextTry", next === null ? null : new Date(next.until).toISOString()],
    ["Failure", next?.class ?? null],
    ["Created", new Date(info.createdAt).toISOString()],
  ]);
}

export function identityText(info: ProcessInfo): string {
  const { pid, owner, uid, runAs, profile, parentPid, label, cwd, workspaceId, createdAt } = info;
  return `${JSON.stringify({ pid, owner, uid, runAs, profile, parentPid, label, cwd, workspaceId, createdAt }, null, 2)}\n`;
}

/** The command that would start one like it. */
export function cmdlineText(info: ProcessInfo, dropped: readonly string[]): string {
  if (isInit(info.pid)) return "init\n";
  const words = [
    ...["gsv", "spawn", "--profile", info.profile, "--as", info.runAs, "--cwd", info.cwd],
    ...(info.parentPid === null ? [] : ["--parent", info.parentPid]),
    ...(dropped.length === 0 ? [] : ["--drop", dropped.join(",")]),
    ...(info.label === null ? [] : ["--label", info.label]),
  ];
  return `${words.map((word) => quoted(oneLine(word))).join(" ")}\n`;
}

export function environText(info: ProcessInfo): string {
  const names: readonly Fact[] = [
    ["GSV_PID", info.pid],
    ["USER", info.runAs],
    ["PWD", info.cwd],
  ];
  return names.map(([name, value]) => `${name}=${oneLine(String(value))}\n`).join("");
}

export function limitsText(): string {
  return factsText([
    ["TurnsPerRun", LIMITS.turnsPerRunMax],
    ["ToolCallsPerTurn", LIMITS.toolCallsPerTurnMax],
    ["ToolOutputBytes", LIMITS.toolOutputBytesMax],
    ["ContextBytes", LIMITS.contextBytesMax],
    ["QueueMessages", LIMITS.queueRowsMax],
    ["QueueBytes", LIMITS.queueBytesMax],
    ["SpawnDepth", LIMITS.spawnDepthMax],
  ]);
}

export function factsText(facts: readonly Fact[]): string {
  return facts.map(([key, value]) => `${key}:\t${oneLine(String(value ?? "-"))}\n`).join("");
}

/** A label of several lines must not look like another key. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, " ");
}
