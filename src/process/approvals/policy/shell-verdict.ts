// The verdict on a shell command: by the rules for each part, else by the tags of the part. In gsv, parts that delete or use the network ask; what
// this parser misses is refused at the call (kernel/shells/shell-files, shell-gate). On the host, everything asks except read-only commands in
// an attached directory inside a sandbox. Pure.

import type { Tag } from "../../../abi/policy.ts";
import type { HostGround } from "../../../kernel/shells/host-launcher.ts";
import { reveal } from "../../../lib/text/sanitize.ts";
import type { ExecRequest } from "../../../syscalls/run/shell-service.ts";
import { needsOfLine } from "../approval-card/command-needs.ts";
import { tagsOf, unstableOption } from "./command-tags.ts";
import { type Decision, decision, type Layer, type Subject } from "./rules.ts";
import type { LineCommand, ShellLine } from "./shell-line.ts";
import type { Part } from "./shell-parts.ts";
import { emptiedPlace } from "./whole-places.ts";

export interface ShellCase {
  readonly request: ExecRequest;
  readonly ground: HostGround | null;
  readonly line: ShellLine;
  readonly layers: readonly Layer[];
  readonly profile: string;
  /** Where the command runs. */
  readonly cwd: string;
  readonly isFree: boolean;
  /** Changes of schedules, as the card shows them. */
  readonly schedules?: readonly string[];
  /** Real paths that lead from gsv to attached directories. */
  readonly attached?: readonly string[];
}

export interface PartVerdict {
  readonly text: string;
  readonly tags: readonly Tag[];
  readonly action: "auto" | "ask" | "deny";
  readonly by: string;
}

export interface ShellVerdict {
  readonly action: "auto" | "ask" | "deny";
  /** A rule or the mode allows a command that would ask by default. */
  readonly allowedByRuleOrMode: boolean;
  readonly reasons: readonly string[];
  readonly parts: readonly PartVerdict[];
}

const TAG_WORDS: { readonly [T in Tag]: string } = {
  destructive: "deletes files or ends processes",
  network: "uses the network",
  privileged: "needs elevated rights",
  messages: "sends a message to a process",
  mutating: "changes files or processes",
  unclassified: "unknown command, may change files",
};

export function shellVerdict(given: ShellCase): ShellVerdict {
  const { line, request, ground } = given;
  const commands = line.commands ?? [UNKNOWN];
  const judged = commands.flatMap((command, index) => judgeCommand(given, command, index));
  const denied = judged.filter(({ action }) => action === "deny");
  if (denied.length > 0) return verdict("deny", judged, denied.map(reasonOf));
  const floors = floorsOf(given);
  const asking = judged.filter(({ action }) => action === "ask");
  if (floors.length > 0 || asking.length > 0)
    return verdict("ask", judged, [...new Set([...floors, ...asking.map(reasonOf)])]);
  const isAllowedByRuleOrMode = judged.some(({ lifts }) => lifts) && request.command !== undefined;
  return {
    action: "auto",
    allowedByRuleOrMode: isAllowedByRuleOrMode || (ground !== null && !looksOnly(ground)),
    reasons: [],
    parts: judged,
  };
}

function verdict(action: "ask" | "deny", parts: readonly PartVerdict[], reasons: readonly string[]): ShellVerdict {
  return { action, allowedByRuleOrMode: false, reasons, parts };
}

const NO_SANDBOX = "no sandbox: every command needs approval";

/** Reasons to ask that no rule or mode overrides. */
function floorsOf({ request, ground, line, cwd, attached = [], schedules = [] }: ShellCase): readonly string[] {
  const directory = ground?.directory ?? null;
  const emptied = emptiedPlace(request.command ?? "", {
    ...{ cwd: directory ?? cwd, directory },
    ...(ground === null && { attached }),
  });
  return [
    ...(emptied === null ? [] : [`removes everything in ${reveal(emptied)}`]),
    ...schedules,
    ...(line.commands === null ? ["cannot parse the command line"] : []),
    ...(request.ask === true ? ["the agent requested your approval"] : []),
    ...(ground !== null && ground.sandbox === null ? [NO_SANDBOX] : []),
    ...(ground !== null && !ground.attached ? ["directory not attached yet"] : []),
  ];
}

const UNKNOWN: LineCommand = { parts: [{ words: [null], wrappers: [] }], looks: null };

type Judged = PartVerdict & { readonly lifts: boolean };

function judgeCommand(given: ShellCase, command: LineCommand, index: number): readonly Judged[] {
  const { ground, request } = given;
  const onlyLooks = ground?.looks?.[index] === true && request.network !== true && request.fed !== true;
  return command.parts.map((part) => {
    const tags = tagsOf(part);
    const decided = decision(given.layers, subjectOf(given, part, tags));
    const asks = ground === null ? [...tags].some((tag) => ASKS_ON_GSV.has(tag)) : !onlyLooks;
    const common = { text: textOf(part), tags: [...tags], lifts: false };
    if (decided?.action === "auto" && asks && !mayLift(given, decided))
      return { ...common, action: "ask", by: `${decided.by} does not cover this command` };
    if (decided !== null)
      return { ...common, action: decided.action, by: decided.by, lifts: decided.action === "auto" && asks };
    if (!asks) return { ...common, action: "auto", by: ground === null ? freeReason(part, given.line) : "read-only" };
    if (given.isFree) return { ...common, action: "auto", by: "mode yolo", lifts: true };
    return { ...common, action: "ask", by: whyItAsks(given, tags) };
  });
}

/** Why a part runs in gsv's shell without approval. */
function freeReason({ words }: Part, { unread }: ShellLine): string {
  if (words[0] !== null && !unread) return "allowed in gsv's shell";
  return "runs, but what it would delete or send is refused";
}

const ASKS_ON_GSV: ReadonlySet<Tag> = new Set(["destructive", "network", "privileged", "messages"]);

/** A prefix rule covers only plain command lines; a rule for the exact text covers that text. */
function mayLift({ line, request, ground }: ShellCase, decided: Decision): boolean {
  if (ground !== null && !decided.exact && needsOfLine(line).exactOnly) return false;
  return decided.exact || (line.isPlain && !line.unread && request.fed !== true);
}

function subjectOf({ request, ground, profile }: ShellCase, part: Part, tags: ReadonlySet<Tag>): Subject {
  return {
    call: "shell.exec",
    target: ground === null ? "gsv" : "host",
    profile,
    args: { network: false, ...request } as unknown as Subject["args"],
    tags,
    words: part.words,
    place: null,
    otherNames: [],
    unstable: unstableOption(part),
  };
}

function whyItAsks({ ground, request, line }: ShellCase, tags: ReadonlySet<Tag>): string {
  if (request.network === true) return "uses the network";
  const [tag] = tags;
  if (tag !== undefined) return TAG_WORDS[tag];
  if (ground !== null && !line.isPlain) return "uses a substitution, redirection or variable";
  return ground === null ? "needs approval by default" : "may read outside the workspace, or run programs";
}

function reasonOf({ text, by }: PartVerdict): string {
  return `${text}: ${by}`;
}

const TEXT_CHARS_MAX = 40;

function textOf({ words }: Part): string {
  const text = reveal(words.map((word) => word ?? "…").join(" "));
  return text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX - 1)}…` : text;
}

export function looksOnly({ looks, attached, sandbox }: HostGround): boolean {
  return attached && sandbox !== null && looks?.every((each) => each) === true;
}
