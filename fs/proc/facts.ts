// Text of the files that describe a process. Pure.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { isInit } from "../../src/abi/ids.ts";
import { exactUsd, microsOf, type Tokens } from "../../src/abi/process/money.ts";
import type { ProcessInfo, WaitsFor } from "../../src/abi/process/process.ts";
import { quoted } from "../../src/lib/text/quote.ts";

type Fact = readonly [string, string | number | null];

/** The fields of `gsv proc get` (processText in src/syscalls/format.ts), and the next retry. */
export function statusText(info: ProcessInfo, waitsForText: (waits: WaitsFor) => string): string {
  const { waitsFor } = info;
  const again = waitsFor?.kind === "restart" || waitsFor?.kind === "model" || waitsFor?.kind === "outage";
  const next = again ? waitsFor : null;
  return factsText([
    ["Name", info.label],
    ["Pid", info.pid],
    ["PPid", info.parentPid],
    ["Owner", info.owner],
    ["RunAs", info.runAs],
    ["Profile", info.profile],
    ["Mode", info.mode],
    ["State", info.interrupted ? `${info.state} (interrupted)` : info.state],
    ["Run", info.activeRunId],
    ["Queue", info.queued],
    ["Cwd", info.cwd],
    ["Workspace", info.workspaceId],
    ["Cost", exactUsd(microsOf(info.costUsd))],
    ["Tokens", info.tokens],
    ["WaitsFor", waitsFor === null ? null : waitsForText(waitsFor)],
    ["NextTry", next === null ? null : new Date(next.until).toISOString()],
    ["Failure", next !== null && "class" in next ? next.class : null],
    ["Restart", info.restart ?? null],
    ["LastRun", info.lastStatus],
    ["Created", new Date(info.createdAt).toISOString()],
    ["LastActive", info.lastActiveAt === null ? null : new Date(info.lastActiveAt).toISOString()],
  ]);
}

export function identityText(info: ProcessInfo): string {
  const { pid, owner, uid, runAs, profile, parentPid, label, cwd, workspaceId, createdAt } = info;
  return `${JSON.stringify({ pid, owner, uid, runAs, profile, parentPid, label, cwd, workspaceId, createdAt }, null, 2)}\n`;
}

/** The command that would start a similar process. */
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

export interface UsageFacts extends Tokens {
  readonly key: string;
  readonly turns: number;
  readonly wasted: number;
  readonly costUsd: number;
  readonly runMs: number;
}

export interface BudgetFacts {
  /** Null for the account's daily budget. */
  readonly pid: string | null;
  readonly budget: string;
  readonly share: number;
}

/** Totals, then cost by model, then budgets. */
export function usageText(total: UsageFacts, models: readonly UsageFacts[], budgets: readonly BudgetFacts[]): string {
  return factsText([
    ["Turns", total.turns],
    ["Wasted", total.wasted],
    ["Input", total.input],
    ["Output", total.output],
    ["CacheRead", total.cacheRead],
    ["CacheWrite", total.cacheWrite],
    ["RunTime", `${Math.floor(total.runMs / 1000)}s`],
    ["Cost", exactUsd(microsOf(total.costUsd))],
    ...models.map(({ key, turns, costUsd }): Fact => ["Model", `${exactUsd(microsOf(costUsd))} ${turns} ${key}`]),
    ...budgets.map(
      ({ pid, budget, share }): Fact => ["Budget", `${Math.floor(share * 100)} % of ${budget} (${pid ?? "today"})`],
    ),
  ]);
}

export function limitsText(turnsPerRun: string): string {
  return factsText([
    ["TurnsPerRun", turnsPerRun],
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

/** A label with several lines must not look like other keys. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, " ");
}
