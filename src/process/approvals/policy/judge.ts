// The judgement on a call of an agent: it runs, a person is asked, or it is not carried out. By the table of defaults, then by the rules of
// every policy that concerns it, then by the mode of the process; what is guarded asks whatever these say. With it comes what a person is
// shown, and the checksum of that: only what was shown runs.

import { normalise } from "../../../../fs/path.ts";
import { type KeyWritten, keyFiled } from "../../../abi/config/config-key.ts";
import { messageOf, SysError } from "../../../abi/errno.ts";
import type { Tag } from "../../../abi/policy.ts";
import type { ApprovalAbout } from "../../../abi/process/process.ts";
import type { FileGround } from "../../../kernel/files/host-files.ts";
import type { HostGround } from "../../../kernel/shells/host-shells.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { lineDiff } from "../../../lib/text/line-diff.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import { StoreUnavailable } from "../../../store/open.ts";
import type { ExecRequest } from "../../../syscalls/run/shell-service.ts";
import { asCalled, SERVER_CALL } from "../../run/tool-servers.ts";
import { type CommandNeeds, needsOfLine } from "./command-needs.ts";
import { type Called, isGuarded, type Verdict, verdictOf } from "./file-verdict.ts";
import {
  ATTACHED,
  actsByItself,
  guardedWords,
  hostFileVerdict,
  hostFileWords,
  isHostFileCall,
} from "./host-file-verdict.ts";
import { decision, type Layer } from "./rules.ts";
import { shellLine } from "./shell-line.ts";
import type { ParseShell } from "./shell-parts.ts";
import { looksOnly, type PartVerdict, shellVerdict } from "./shell-verdict.ts";

export interface JudgePorts {
  /** The file a path leads to for the process's agent, links followed. */
  readonly locate: (row: ProcessRow, path: string) => Promise<string>;
  /** Where on the host a command of the process would run; refuses where it cannot. */
  readonly hostGround: (row: ProcessRow, command: string, cwd: string | undefined) => Promise<HostGround>;
  /** What a change of a setting would do; refuses what no agent may change. Null: what it would become is not known. */
  readonly proposal: (row: ProcessRow, key: KeyWritten, value: string | null) => Promise<string>;
  /** Where on the host a file lies. */
  readonly hostFile: (row: ProcessRow, path: string) => Promise<FileGround>;
  /** What policies say of a process, the narrowest first. */
  readonly layers: (row: ProcessRow, directory: string | null) => Promise<readonly Layer[]>;
  /** What a file holds now, for whoever is shown how it would change; null where that cannot be told. */
  readonly textOf: (row: ProcessRow, path: string, target: "gsv" | "host") => Promise<string | null>;
  readonly parser: () => Promise<ParseShell>;
  /** Refuses what would be refused with a yes too: by what its agent may look at anyway, with nothing run, reached or changed. */
  readonly foresee: (row: ProcessRow, call: Called) => Promise<void>;
}

/** What was decided of a call, and what a person is shown of it. */
export interface Judged {
  readonly verdict: Verdict | { readonly action: "deny"; readonly why: string };
  /** A rule or the mode lets it do what would ask. */
  readonly lifted: boolean;
  /** In a few words; also where it runs without asking, and the same once a directory it asks for is attached. */
  readonly what: string;
  readonly about: ApprovalAbout;
  readonly parts: readonly PartVerdict[];
  /** The file it changes, links followed. */
  readonly place: string | null;
  /** A directory of the host that a yes attaches besides; a command does that itself. */
  readonly attaches: string | null;
}

/** What the table of defaults says. */
interface ByDefault extends Pick<Judged, "what" | "place" | "attaches"> {
  readonly verdict: Verdict;
  /** No rule and no mode takes the question away. */
  readonly guarded: boolean;
  /** Its agent may look there without asking: so it may hear before anybody is asked that it cannot be. */
  readonly open: boolean;
}

const DIFF_LINES_MAX = 400;

export class Judge {
  constructor(private readonly ports: JudgePorts) {}

  async judge(row: ProcessRow, call: Called): Promise<Judged> {
    try {
      if (call.call === "shell.exec") return await this.judgeShell(row, call);
      return await this.judgeCall(row, call);
    } catch (error) {
      if (error instanceof StoreUnavailable || !(error instanceof SysError)) throw error;
      return judgedAs({ action: "refuse", why: [`${error.code}: ${messageOf(error)}`, ...error.hints].join("\n") });
    }
  }

  private async judgeShell(row: ProcessRow, { tool, call, args }: Called): Promise<Judged> {
    const request = { target: "gsv", ...args } as ExecRequest;
    const { command, input, target, cwd } = request;
    if (command === undefined && input === undefined) return judgedAs({ action: "auto" });
    if (command === undefined) await this.ports.foresee(row, { tool, call, args });
    const isOnHost = command !== undefined && target === "host";
    const ground = isOnHost ? await this.ports.hostGround(row, command, cwd) : null;
    const isNew = ground !== null && !ground.attached;
    const more = { ...(isNew && { attaches: ground.directory }), ...(ground?.sandbox === null && ONCE) };
    const about = { target, directory: ground?.directory ?? null, reasons: [], diff: null, ...more };
    // What is fed to a shell is a command.
    if (command === undefined) {
      const why = `type into command ${request.id}: ${input}`;
      return judgedAs({ action: "ask", why }, { about: { ...about, reasons: ["what is typed may be a command"] } });
    }
    const onDisk = `${cwd ?? row.cwd}\n${command}`.includes(ATTACHED);
    const line = await shellLine(command, this.ports.parser);
    const needs = needsOfLine(line);
    const network = request.network === true || needs.network;
    const what = `${groundWords(ground, { network, onDisk })}: ${command}`;
    const attaching = isNew ? `attach ${ground.directory} and ` : "";
    const layers = await this.ports.layers(row, about.directory);
    const isFree = row.mode === "yolo";
    const judged = shellVerdict({ request, ground, line, layers, profile: row.profile, isFree });
    const shown = { ...about, reasons: judged.reasons, ...shownNeeds(needs, ground !== null && network) };
    const common = { what, about: shown, parts: judged.parts };
    if (judged.action === "deny") return judgedAs({ action: "deny", why: judged.reasons.join("; ") }, common);
    if (row.mode === "plan" && !(ground === null ? judged.action === "auto" : looksOnly(ground)))
      return judgedAs(planRefusal("this command"), common);
    if (judged.action === "ask") return judgedAs({ action: "ask", why: `${attaching}${what}` }, common);
    return judgedAs({ action: "auto" }, { ...common, lifted: judged.lifted && row.mode !== "plan" });
  }

  private async judgeCall(row: ProcessRow, call: Called): Promise<Judged> {
    const { path } = call.args;
    if (isHostFileCall(call)) return await this.judgeHostFile(row, call);
    const place = typeof path === "string" ? await this.ports.locate(row, path) : null;
    const key = changesFile(call) && place !== null ? keyFiled(place) : null;
    if (key !== null) return await this.judgeSetting(row, call, { key, place: place ?? "" });
    const verdict = verdictOf(call, place ?? "");
    const what = verdict.action === "auto" ? `${verbOf(call)} ${place ?? ""}` : verdict.why;
    const guarded = place !== null && changes(call) && isGuarded(place);
    return await this.byRules(row, call, { verdict, what, place, guarded, attaches: null, open: true });
  }

  private async judgeHostFile(row: ProcessRow, call: Called): Promise<Judged> {
    const ground = await this.ports.hostFile(row, typeof call.args.path === "string" ? call.args.path : ".");
    const { path: place, attaches, inside } = ground;
    const verdict = hostFileVerdict(call, ground, row.mode);
    // No rule is about what nobody has attached.
    const guarded = !inside || (changes(call) && actsByItself(place));
    const what = hostFileWords(call.call, ground);
    return await this.byRules(row, call, { verdict, what, place, guarded, attaches, open: inside });
  }

  /** What is decided by default, and what rules and the mode make of it. */
  private async byRules(row: ProcessRow, call: Called, by: ByDefault): Promise<Judged> {
    const { verdict, what, place, guarded, attaches, open } = by;
    const target = typeof call.args.target === "string" ? call.args.target : "gsv";
    const said = decision(await this.ports.layers(row, null), {
      call: call.call ?? "",
      target,
      profile: row.profile,
      args: asCalled(call),
      tags: new Set(TAGS_OF[call.call ?? ""] ?? []),
      words: null,
      place,
      slippery: null,
    });
    if (open && said?.action !== "deny" && (verdict.action === "ask" || said?.action === "ask"))
      await this.ports.foresee(row, call);
    const why = attaches === null ? reasonOf(call, guarded, place ?? "") : "it does not work there yet";
    const reasons = [said === null ? why : said.by];
    const attached = attaches === null ? guarded && ONCE : { attaches };
    const diff = verdict.action === "auto" && said === null ? null : await this.diffOf(row, call, place);
    const common = { what, place, attaches, about: { target, directory: null, reasons, diff, ...attached } };
    if (said?.action === "deny") return judgedAs({ action: "deny", why: said.by }, common);
    if (row.mode === "plan" && verdict.action !== "refuse" && !LOOKS.has(call.call ?? ""))
      return judgedAs(planRefusal(verbOf(call)), common);
    if (verdict.action === "auto" && said?.action === "ask") return judgedAs({ action: "ask", why: what }, common);
    // On the host what writes without asking does so because of the mode.
    if (verdict.action === "auto") return judgedAs(verdict, { ...common, lifted: target === "host" && changes(call) });
    const isLifted =
      verdict.action === "ask" && !guarded && (said === null ? row.mode === "yolo" : said.action === "auto");
    return isLifted ? judgedAs({ action: "auto" }, { ...common, lifted: true }) : judgedAs(verdict, common);
  }

  private async judgeSetting(
    row: ProcessRow,
    call: Called,
    { key, place }: { readonly key: KeyWritten; readonly place: string },
  ): Promise<Judged> {
    // What a person approves is what they read: a link to a setting could lead elsewhere by then.
    if (!namesItself(call, place)) throw new SysError("EPERM", `a setting is changed by its own path: ${place}`);
    const { content } = call.args;
    const why = await this.ports.proposal(row, key, typeof content === "string" ? content : null);
    if (row.mode === "plan") return judgedAs(planRefusal(why));
    return judgedAs(
      { action: "ask", why },
      { place, about: { ...NOTHING_ABOUT, ...ONCE, reasons: ["it is a setting"] } },
    );
  }

  private async diffOf(row: ProcessRow, call: Called, place: string | null): Promise<string | null> {
    if (!changesFile(call) || place === null) return null;
    const isOnHost = call.args.target === "host";
    const before = await this.ports.textOf(row, place, isOnHost ? "host" : "gsv");
    // New, or none that the agent may read: what it may not see stands in no question of its.
    if (isOnHost && before === null) return null;
    const { content, oldString, newString, replaceAll } = call.args;
    if (call.call === "fs.write") return lineDiff(before ?? "", String(content), DIFF_LINES_MAX);
    if (before === null || typeof oldString !== "string" || typeof newString !== "string") return null;
    const after =
      replaceAll === true ? before.replaceAll(oldString, () => newString) : before.replace(oldString, () => newString);
    return lineDiff(before, after, DIFF_LINES_MAX);
  }
}

/** Of everything a person sees that says what will happen; why it asks is not part of it. */
export function hashOf(call: Called, { what, about }: Pick<Judged, "what" | "about">): string {
  const { target, directory, diff } = about;
  const seen = JSON.stringify([call.tool, call.call, sorted(call.args), what, target, directory, diff]);
  return sha256Hex(seen);
}

function sorted(args: Called["args"]): readonly (readonly [string, unknown])[] {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
}

const ONCE = { once: true } as const;
const NOTHING_ABOUT: ApprovalAbout = { target: "gsv", directory: null, reasons: [], diff: null };

function judgedAs(verdict: Judged["verdict"], more: Partial<Judged> = {}): Judged {
  const what = verdict.action === "auto" ? "" : verdict.why;
  const whole = { lifted: false, what, about: NOTHING_ABOUT, parts: [], place: null, attaches: null, ...more };
  return { ...whole, verdict };
}

/** The calls of a block are judged one by one. */
const LOOKS: ReadonlySet<string> = new Set(["fs.read", "fs.search", "net.fetch", "codemode.exec"]);
const TAGS_OF: { readonly [call: string]: readonly Tag[] } = {
  "fs.write": ["mutating"],
  "fs.edit": ["mutating"],
  "fs.delete": ["mutating", "destructive"],
  "net.fetch": ["network"],
  // What it does only its server knows.
  [SERVER_CALL]: ["unclassified"],
};

function planRefusal(what: string): Verdict {
  return {
    action: "refuse",
    why: `EPERM: ${what} was not carried out: this process is in mode plan and only looks.\nSay what you would do; a person changes the mode.`,
  };
}

interface Reach {
  readonly network: boolean;
  /** Files of this machine are there under a path of gsv's. */
  readonly onDisk: boolean;
}

function groundWords(ground: HostGround | null, { network, onDisk }: Reach): string {
  if (ground === null) return onDisk ? "run in gsv, on files of this machine" : "run in gsv";
  const { directory, sandbox } = ground;
  const where = `run on this machine in ${directory}`;
  if (sandbox === null) return `${where}, with NO SANDBOX: it can do whatever you can`;
  return `${where}, in a sandbox ${network ? "with the network" : "without network"}`;
}

/** As a person is shown it. */
function shownNeeds({ dangers }: CommandNeeds, network: boolean): Pick<ApprovalAbout, "dangers" | "grants"> {
  return { ...(dangers.length > 0 && { dangers }), ...(network && { grants: ["network"] as const }) };
}

function reasonOf({ call, args }: Called, guarded: boolean, place: string): string {
  if (call === "fs.delete") return "deleting asks";
  if (guarded && args.target === "host")
    return "it is outside of what is attached, or makes programs act by themselves";
  if (guarded) return guardedWords(place);
  return "it asks by default";
}

function verbOf({ call, tool }: Called): string {
  return call?.startsWith("fs.") ? call.slice("fs.".length) : `call ${call ?? tool}`;
}

function changes(call: Called): boolean {
  return changesFile(call) || call.call === "fs.delete";
}

export function changesFile({ call }: Called): boolean {
  return call === "fs.write" || call === "fs.edit";
}

function namesItself({ args }: Called, place: string): boolean {
  return typeof args.path === "string" && args.path.startsWith("/") && normalise(args.path) === place;
}
