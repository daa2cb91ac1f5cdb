// Judges an agent's call: run, ask or refuse. Order: default table, rules of all policies, mode of the process. Guarded files always ask. The
// result holds what the approval card shows, and its checksum: only the shown call runs.

import { join, normalise } from "../../../../fs/path.ts";
import { type KeyWritten, keyFiled } from "../../../abi/config/config-key.ts";
import { messageOf, SysError } from "../../../abi/errno.ts";
import type { Grant } from "../../../abi/grants.ts";
import type { McpToolUse } from "../../../abi/links/mcp.ts";
import type { Rule, Tag } from "../../../abi/policy.ts";
import type { ApprovalAbout } from "../../../abi/process/process.ts";
import type { FileGround } from "../../../kernel/files/host-files.ts";
import { FILES_COUNTED_MAX } from "../../../kernel/shells/file-count.ts";
import type { HostGround } from "../../../kernel/shells/host-launcher.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { isInside } from "../../../lib/inside.ts";
import { lineDiff } from "../../../lib/text/line-diff.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import { StoreUnavailable } from "../../../store/open.ts";
import type { ExecRequest } from "../../../syscalls/run/shell-service.ts";
import { asCalled, SERVER_CALL } from "../../run/tool-servers.ts";
import { type CommandNeeds, deletedBy, needsOfLine } from "../approval-card/command-needs.ts";
import { countedDangers, fileDangers } from "../approval-card/dangers.ts";
import { grantsFor, groundWords } from "../approval-card/grants.ts";
import { type Called, changes, changesFile, isGuarded, PLAN_CALL, type Verdict, verdictOf } from "./file-verdict.ts";
import {
  ACTS_REASON,
  ATTACHED,
  actsByItself,
  guardedWords,
  hostFileVerdict,
  hostFileWords,
  isHostFileCall,
} from "./host-file-verdict.ts";
import { MESSAGE_CALLS, messageVerdict } from "./message-verdict.ts";
import { commandPatterns, commandRule, filePatterns, fileRule } from "./patterns.ts";
import { decision, type Layer } from "./rules.ts";
import { serverVerdict } from "./server-verdict.ts";
import { type ShellLine, shellLine } from "./shell-line.ts";
import type { ParseShell } from "./shell-parts.ts";
import { looksOnly, type PartVerdict, shellVerdict } from "./shell-verdict.ts";

export interface JudgePorts {
  readonly locate: (row: ProcessRow, path: string) => Promise<string>;
  /** Where on the host a command of the process would run. Throws if it cannot run. */
  readonly hostGround: (row: ProcessRow, command: string, cwd: string | undefined) => Promise<HostGround>;
  /** Describes a change of a setting. Throws if agents may not change it. `value` is null if unknown. */
  readonly proposal: (row: ProcessRow, key: KeyWritten, value: string | null) => Promise<string>;
  readonly hostFile: (row: ProcessRow, path: string) => Promise<FileGround>;
  /** Policies that apply to a process, the narrowest first. */
  readonly layers: (row: ProcessRow, directory: string | null) => Promise<readonly Layer[]>;
  readonly textOf: (row: ProcessRow, path: string, target: "gsv" | "host") => Promise<string | null>;
  readonly parser: () => Promise<ParseShell>;
  /** Another process of the owner; null if there is none. */
  readonly processAt: (row: ProcessRow, pid: string) => Promise<ProcessRow | null>;
  /** Number of files that a command on the host would delete; null if unknown. */
  readonly filesBelow: (directory: string, names: readonly string[]) => number | null;
  /** Its real path for a path in gsv, and the reverse. */
  readonly otherNames: (row: ProcessRow, path: string, target: string) => Promise<readonly string[]>;
  /** Paths in gsv, besides those below /workspaces, that lead to directories of the host. */
  readonly attached: (row: ProcessRow) => Promise<readonly string[]>;
  /** Changes of schedules in a line of gsv's shell, as the card shows them. */
  readonly schedules: (row: ProcessRow, line: ShellLine) => Promise<readonly string[]>;
  /** How a person lets an MCP server's tool be used; null if it is none. */
  readonly toolUse: (row: ProcessRow, tool: string) => Promise<McpToolUse | null>;
  /** Throws if the call would fail even with an approval. Has no effects. */
  readonly dryRun: (row: ProcessRow, call: Called) => Promise<void>;
}

export interface Judged {
  readonly verdict: Verdict | { readonly action: "deny"; readonly why: string };
  /** A rule or the mode allows a call that would ask by default. */
  readonly allowedByRuleOrMode: boolean;
  /** What the call does. Must not change when its directory gets attached. */
  readonly what: string;
  readonly about: ApprovalAbout;
  readonly parts: readonly PartVerdict[];
  /** Real path of the changed file. */
  readonly filePath: string | null;
  /** Host directory that the approval attaches first; null for commands, which attach it themselves. */
  readonly attaches: string | null;
  /** The rule of a pattern that covers the call. Throws if it does not. null if no pattern may. */
  readonly cover: ((pattern: string) => Rule) | null;
}

interface ByDefault extends Pick<Judged, "what" | "filePath" | "attaches"> {
  readonly verdict: Verdict;
  /** Asks, whatever the rules and the mode allow. */
  readonly guarded: boolean;
  /** The agent may read there, so it gets errors before anyone is asked. */
  readonly open: boolean;
}

const DIFF_LINES_MAX = 400;

export class Judge {
  constructor(private readonly ports: JudgePorts) {}

  /** `withheld`: grants of a second run, after the command failed without them. */
  async judge(row: ProcessRow, call: Called, withheld: readonly Grant[] = []): Promise<Judged> {
    try {
      if (call.call === "shell.exec") return await this.judgeShell(row, call, withheld);
      return await this.judgeCall(row, call);
    } catch (error) {
      if (error instanceof StoreUnavailable || !(error instanceof SysError)) throw error;
      return judgedAs({ action: "refuse", why: [`${error.code}: ${messageOf(error)}`, ...error.hints].join("\n") });
    }
  }

  private async judgeShell(row: ProcessRow, { tool, call, args }: Called, withheld: readonly Grant[]): Promise<Judged> {
    const request = { target: "gsv", ...args } as ExecRequest;
    const { command, input, target, cwd } = request;
    if (command === undefined && input === undefined) return judgedAs({ action: "auto" });
    if (command === undefined) await this.ports.dryRun(row, { tool, call, args });
    const isOnHost = command !== undefined && target === "host";
    const ground = isOnHost ? await this.ports.hostGround(row, command, cwd) : null;
    const isNew = ground !== null && !ground.attached;
    const sandboxed = ground !== null && { sandboxed: ground.sandbox !== null };
    const more = { ...(isNew && { attaches: ground.directory }), ...(ground?.sandbox === null && ONCE), ...sandboxed };
    const about = { target, directory: ground?.directory ?? null, reasons: [], diff: null, ...more };
    if (command === undefined) {
      const why = `type into command ${request.id}: ${input}`;
      return judgedAs({ action: "ask", why }, { about: { ...about, reasons: ["the input may be a command"] } });
    }
    const attached = await this.ports.attached(row);
    const onDisk = [ATTACHED, ...attached].some((path) => `${cwd ?? row.cwd}\n${command}`.includes(path));
    const line = await shellLine(command, this.ports.parser);
    const needs = needsOfLine(line);
    const grants = grantsFor({ request, needs, ground, withheld });
    const what = `${groundWords(ground, { grants, onDisk })}: ${command}`;
    const attaching = isNew ? `attach ${ground.directory} and ` : "";
    const layers = await this.ports.layers(row, about.directory);
    const isFree = row.mode === "yolo";
    const schedules = ground === null ? await this.ports.schedules(row, line) : [];
    const judged = shellVerdict({
      ...{ request, ground, line, layers, isFree, attached, schedules },
      ...{ profile: row.profile, cwd: cwd?.startsWith("~") ? cwd : join(row.cwd, cwd ?? ".") },
    });
    const shown = {
      ...about,
      reasons: judged.reasons,
      ...shownNeeds(this.dangersOf(line, needs, ground), ground === null || ground.sandbox === null ? [] : grants),
    };
    const patternCase = { line, needs, parts: judged.parts };
    const patterns =
      ground?.sandbox === null || request.fed || request.ask || schedules.length > 0
        ? []
        : commandPatterns(patternCase);
    const reach = { network: request.network === true, target };
    const cover = patterns.length === 0 ? null : (text: string) => commandRule(text, patternCase, reach);
    const common = { what, about: { ...shown, ...(cover !== null && { patterns }) }, parts: judged.parts, cover };
    if (judged.action === "deny") return judgedAs({ action: "deny", why: judged.reasons.join("; ") }, common);
    if (row.mode === "plan" && !(ground === null ? judged.action === "auto" : looksOnly(ground)))
      return judgedAs(planRefusal("this command"), common);
    if (judged.action === "ask") return judgedAs({ action: "ask", why: `${attaching}${what}` }, common);
    return judgedAs(
      { action: "auto" },
      { ...common, allowedByRuleOrMode: judged.allowedByRuleOrMode && row.mode !== "plan" },
    );
  }

  private dangersOf(line: ShellLine, { dangers }: CommandNeeds, ground: HostGround | null): readonly string[] {
    const names = ground === null ? null : deletedBy(line);
    if (ground === null || names === null) return dangers;
    return countedDangers(dangers, this.ports.filesBelow(ground.directory, names), FILES_COUNTED_MAX);
  }

  private async judgeCall(row: ProcessRow, call: Called): Promise<Judged> {
    const { path } = call.args;
    if (isHostFileCall(call)) return await this.judgeHostFile(row, call);
    const filePath = typeof path === "string" ? await this.ports.locate(row, path) : null;
    const key = changesFile(call) && filePath !== null ? keyFiled(filePath) : null;
    if (key !== null) return await this.judgeSetting(row, call, { key, filePath: filePath ?? "" });
    const own = filePath !== null && changes(call) && isOwnDirectory(row, filePath);
    const edits = own && row.mode === "accept-edits" && changesFile(call);
    const isMessage = MESSAGE_CALLS.includes(call.call);
    const [shown = filePath ?? ""] = filePath === null ? [] : await this.ports.otherNames(row, filePath, "gsv");
    const asked = isMessage
      ? await this.messageVerdict(row, call)
      : ((await serverVerdict(call, (tool) => this.ports.toolUse(row, tool))) ??
        verdictOf(call, filePath ?? "", shown));
    const what = asked.action === "auto" ? `${verbOf(call)} ${shown}` : asked.why;
    const guarded = call.call === PLAN_CALL || (filePath !== null && changes(call) && isGuarded(filePath) && !own);
    const verdict = edits ? ({ action: "auto" } as const) : asked;
    return await this.byRules(row, call, { verdict, what, filePath, guarded, attaches: null, open: true });
  }

  private async messageVerdict(row: ProcessRow, { args: { pid } }: Called): Promise<Verdict> {
    return messageVerdict(row, typeof pid === "string" ? await this.ports.processAt(row, pid) : null);
  }

  private async judgeHostFile(row: ProcessRow, call: Called): Promise<Judged> {
    const ground = await this.ports.hostFile(row, typeof call.args.path === "string" ? call.args.path : ".");
    const { path: filePath, attaches, inside } = ground;
    const verdict = hostFileVerdict(call, ground, row.mode);
    const guarded = !inside || (changes(call) && actsByItself(filePath));
    const what = hostFileWords(call.call, ground);
    return await this.byRules(row, call, { verdict, what, filePath, guarded, attaches, open: inside });
  }

  private async byRules(row: ProcessRow, call: Called, by: ByDefault): Promise<Judged> {
    const { verdict, what, filePath, guarded, attaches, open } = by;
    const target = typeof call.args.target === "string" ? call.args.target : "gsv";
    const otherNames = filePath === null ? [] : await this.ports.otherNames(row, filePath, target);
    const ruled = decision(await this.ports.layers(row, null), {
      call: call.call ?? "",
      target,
      profile: row.profile,
      args: asCalled(call),
      tags: new Set(TAGS_OF[call.call ?? ""] ?? []),
      words: null,
      place: filePath,
      otherNames,
      unstable: null,
    });
    if (open && ruled?.action !== "deny" && (verdict.action === "ask" || ruled?.action === "ask"))
      await this.ports.dryRun(row, call);
    const why = attaches === null ? reasonOf(call, by) : "directory not attached yet";
    const reasons = [ruled === null ? why : ruled.by];
    const attached = attaches === null ? guarded && ONCE : { attaches };
    const diff = verdict.action === "auto" && ruled === null ? null : await this.diffOf(row, call, filePath);
    const shownPath = target === "host" ? filePath : (otherNames[0] ?? filePath);
    const covered = guarded || attaches !== null ? null : fileCover(call, target, shownPath);
    const path = shownPath === null ? {} : { path: shownPath };
    const changed = { call: call.call, target, path: filePath ?? "", isGuarded: guarded, isInside: open };
    const dangers = filePath !== null && changes(call) ? fileDangers(changed) : [];
    const shown = { ...path, ...(dangers.length > 0 && { dangers }), ...attached, ...covered?.about };
    const about = { target, directory: null, reasons, diff, ...shown };
    const common = { what, filePath, attaches, about, cover: covered?.cover ?? null };
    if (ruled?.action === "deny") return judgedAs({ action: "deny", why: ruled.by }, common);
    if (row.mode === "plan" && verdict.action !== "refuse" && !LOOKS.has(call.call ?? ""))
      return judgedAs(planRefusal(verbOf(call)), common);
    if (verdict.action === "auto") {
      if (ruled?.action === "ask") return judgedAs({ action: "ask", why: what }, common);
      // On this computer, only the mode allows writes by default.
      const allowedByRuleOrMode = changes(call) && (target === "host" || filePath?.startsWith(ATTACHED) === true);
      return judgedAs(verdict, { ...common, allowedByRuleOrMode });
    }
    const isAllowedByRuleOrMode =
      verdict.action === "ask" && !guarded && (ruled === null ? row.mode === "yolo" : ruled.action === "auto");
    return isAllowedByRuleOrMode
      ? judgedAs({ action: "auto" }, { ...common, allowedByRuleOrMode: true })
      : judgedAs(verdict, common);
  }

  private async judgeSetting(
    row: ProcessRow,
    call: Called,
    { key, filePath }: { readonly key: KeyWritten; readonly filePath: string },
  ): Promise<Judged> {
    // Not through a link: it could point elsewhere by the time of the approval.
    const { path } = call.args;
    if (typeof path !== "string" || !path.startsWith("/") || normalise(path) !== filePath)
      throw new SysError("EPERM", `a setting can only be changed at its own path: ${filePath}`);
    const { content } = call.args;
    const why = await this.ports.proposal(row, key, typeof content === "string" ? content : null);
    if (row.mode === "plan") return judgedAs(planRefusal(why));
    return judgedAs(
      { action: "ask", why },
      { filePath, about: { ...NOTHING_ABOUT, ...ONCE, reasons: ["changes a setting"] } },
    );
  }

  private async diffOf(row: ProcessRow, call: Called, filePath: string | null): Promise<string | null> {
    if (!changesFile(call) || filePath === null) return null;
    const isOnHost = call.args.target === "host";
    const before = await this.ports.textOf(row, filePath, isOnHost ? "host" : "gsv");
    // New, or unreadable for the agent: a diff would reveal its contents.
    if (isOnHost && before === null) return null;
    const { content, oldString, newString, replaceAll } = call.args;
    if (call.call === "fs.write") return lineDiff(before ?? "", String(content), DIFF_LINES_MAX);
    if (before === null || typeof oldString !== "string" || typeof newString !== "string") return null;
    const after =
      replaceAll === true ? before.replaceAll(oldString, () => newString) : before.replace(oldString, () => newString);
    return lineDiff(before, after, DIFF_LINES_MAX);
  }
}

/** Checksum of what the card says will happen. The reasons are not part of it. */
export function hashOf(call: Called, { what, about }: Pick<Judged, "what" | "about">): string {
  const { target, directory, diff } = about;
  const seen = JSON.stringify([
    call.tool,
    call.call,
    Object.entries(call.args).sort(([a], [b]) => (a < b ? -1 : 1)),
    what,
    target,
    directory,
    diff,
  ]);
  return sha256Hex(seen);
}

const ONCE = { once: true } as const;
const NOTHING_ABOUT: ApprovalAbout = { target: "gsv", directory: null, reasons: [], diff: null };

function judgedAs(verdict: Judged["verdict"], more: Partial<Judged> = {}): Judged {
  const what = verdict.action === "auto" ? "" : verdict.why;
  const rest = { about: NOTHING_ABOUT, parts: [], filePath: null, attaches: null, cover: null };
  const whole = { allowedByRuleOrMode: false, what, ...rest, ...more };
  return { ...whole, verdict };
}

/** Read-only calls. The calls inside a code block are judged one by one. */
const LOOKS: ReadonlySet<string> = new Set(["fs.read", "fs.search", "net.fetch", "codemode.exec", PLAN_CALL]);
const TAGS_OF: { readonly [call: string]: readonly Tag[] } = {
  "fs.write": ["mutating"],
  "fs.edit": ["mutating"],
  "fs.delete": ["mutating", "destructive"],
  "net.fetch": ["network"],
  "proc.ipc.send": ["messages"],
  "proc.ipc.call": ["messages"],
  [SERVER_CALL]: ["unclassified"],
};

function planRefusal(what: string): Verdict {
  return {
    action: "refuse",
    why: `EPERM: ${what} is not allowed in mode plan.\nPresent what you would do with the tool Plan. Only the user can change the mode.`,
  };
}

function shownNeeds(dangers: readonly string[], grants: readonly Grant[]): Pick<ApprovalAbout, "dangers" | "grants"> {
  return { ...(dangers.length > 0 && { dangers }), ...(grants.length > 0 && { grants }) };
}

function fileCover(call: Called, target: string, filePath: string | null) {
  if (!changesFile(call) || filePath === null) return null;
  const patterns = filePatterns(filePath);
  const cover = (text: string) => fileRule(text, call.call ?? "", { place: filePath, target });
  return patterns.length === 0 ? null : { about: { patterns }, cover };
}

function reasonOf({ call, args }: Called, { guarded, open, filePath }: ByDefault): string {
  if (call === "fs.delete") return "deletes a file";
  if (call === PLAN_CALL) return "the plan is ready";
  if (guarded && args.target === "host") return open ? ACTS_REASON : "outside the workspace";
  if (guarded || filePath?.startsWith(ATTACHED)) return guardedWords(filePath ?? "");
  return "needs approval by default";
}

function verbOf({ call, tool }: Called): string {
  return call?.startsWith("fs.") ? call.slice("fs.".length) : `call ${call ?? tool}`;
}

/** In the directory of this computer that the process works in, by its path in gsv. */
function isOwnDirectory({ workspaceId }: ProcessRow, filePath: string): boolean {
  if (workspaceId === null || !filePath.startsWith(ATTACHED) || actsByItself(filePath)) return false;
  return isInside(filePath, `/workspaces/${workspaceId}`);
}
