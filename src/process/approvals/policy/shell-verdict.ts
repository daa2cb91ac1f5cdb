// Whether a command of an agent runs, or a person is asked first: by the rules for each of its parts, else by what the part is known to do.
// On gsv what deletes or reaches the network asks, and what hides that from here is refused where it happens (kernel/shell-files,
// kernel/shell-gate). On the host all asks but looking at files of a directory that a person attached, inside a sandbox. Pure.

import type { Tag } from "../../../abi/policy.ts";
import type { HostGround } from "../../../kernel/shells/host-shells.ts";
import { reveal } from "../../../lib/text/sanitize.ts";
import type { ExecRequest } from "../../../syscalls/run/shell-service.ts";
import { needsOfLine } from "./command-needs.ts";
import { slipperyWord, tagsOf } from "./doing.ts";
import { type Decision, decision, type Layer, type Subject } from "./rules.ts";
import type { LineCommand, ShellLine } from "./shell-line.ts";
import type { Part } from "./shell-parts.ts";

export interface ShellCase {
  readonly request: ExecRequest;
  /** Where it would run on the host; null for gsv. */
  readonly ground: HostGround | null;
  readonly line: ShellLine;
  readonly layers: readonly Layer[];
  readonly profile: string;
  /** What asks by default runs: the mode of the process says so. */
  readonly isFree: boolean;
}

/** What was decided of one part, and by what. */
export interface PartVerdict {
  readonly text: string;
  readonly tags: readonly Tag[];
  readonly action: "auto" | "ask" | "deny";
  readonly by: string;
}

export interface ShellVerdict {
  readonly action: "auto" | "ask" | "deny";
  /** A rule or the mode lets it do what would ask. */
  readonly lifted: boolean;
  /** Why it asks or is denied, a line each. */
  readonly reasons: readonly string[];
  readonly parts: readonly PartVerdict[];
}

const TAG_WORDS: { readonly [T in Tag]: string } = {
  destructive: "deletes or replaces",
  network: "reaches the network",
  privileged: "takes more rights",
  mutating: "changes things",
  unclassified: "is not known to only look",
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
  const isLifted = judged.some(({ lifts }) => lifts) && request.command !== undefined;
  return { action: "auto", lifted: isLifted || (ground !== null && !looksOnly(ground)), reasons: [], parts: judged };
}

function verdict(action: "ask" | "deny", parts: readonly PartVerdict[], reasons: readonly string[]): ShellVerdict {
  return { action, lifted: false, reasons, parts };
}

/** Where it would run says it is without a sandbox, and this what comes of that. */
const UNBOUND = "with NO SANDBOX every command asks";

/** What no rule and no mode takes away. */
function floorsOf({ request, ground, line }: ShellCase): readonly string[] {
  return [
    ...(line.commands === null ? ["it cannot be taken apart: nobody knows what would run"] : []),
    ...(request.ask === true ? ["the agent wants you to see it first"] : []),
    ...(ground !== null && ground.sandbox === null ? [UNBOUND] : []),
    ...(ground !== null && !ground.attached ? ["it does not work there yet"] : []),
  ];
}

const UNKNOWN: LineCommand = { parts: [{ words: [null], behind: [] }], looks: null };

type Judged = PartVerdict & { readonly lifts: boolean };

function judgeCommand(given: ShellCase, command: LineCommand, index: number): readonly Judged[] {
  const { ground, request } = given;
  const onlyLooks = ground?.looks?.[index] === true && request.network !== true && request.fed !== true;
  return command.parts.map((part) => {
    const tags = tagsOf(part);
    const said = decision(given.layers, subjectOf(given, part, tags));
    const asks = ground === null ? [...tags].some((tag) => ASKS_ON_GSV.has(tag)) : !onlyLooks;
    const common = { text: textOf(part), tags: [...tags], lifts: false };
    if (said?.action === "auto" && asks && !mayLift(given, said))
      return { ...common, action: "ask", by: `${said.by} does not cover it: it is more than plain words` };
    if (said !== null) return { ...common, action: said.action, by: said.by, lifts: said.action === "auto" && asks };
    if (!asks) return { ...common, action: "auto", by: ground === null ? "it asks nothing on gsv" : "it only looks" };
    if (given.isFree) return { ...common, action: "auto", by: "the mode of the process", lifts: true };
    return { ...common, action: "ask", by: whyItAsks(given, tags) };
  });
}

const ASKS_ON_GSV: ReadonlySet<Tag> = new Set(["destructive", "network", "privileged"]);

/** A rule that names a command by its beginning is for plain words; one that names the whole text is for that text. */
function mayLift({ line, request, ground }: ShellCase, said: Decision): boolean {
  if (ground !== null && !said.exact && needsOfLine(line).exactOnly) return false;
  return said.exact || (line.isPlain && !line.unread && request.fed !== true);
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
    slippery: slipperyWord(part),
  };
}

function whyItAsks({ ground, request, line }: ShellCase, tags: ReadonlySet<Tag>): string {
  if (request.network === true) return "it wants the network";
  const [tag] = tags;
  if (tag !== undefined) return TAG_WORDS[tag];
  if (ground !== null && !line.isPlain) return "is more than plain words: a substitution, a redirection, a variable";
  return ground === null ? "asks by default" : "looks outside of the directory, or where git may run something";
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
