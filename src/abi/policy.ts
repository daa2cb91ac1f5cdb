// Rules for what an agent may do without approval, and the modes of a process. A policy is JSON: `{"default": …, "rules": [{"match", "when",
// "target", "action"}]}`. An invalid policy is refused: a misread rule must never allow anything.

import { SysError } from "./errno.ts";

export const ACTIONS = ["auto", "ask", "deny"] as const;
export type Action = (typeof ACTIONS)[number];

/** Strictest first. */
export const MODES = ["plan", "ask", "accept-edits", "yolo"] as const;
export type Mode = (typeof MODES)[number];

/** Earlier names, and names in other agents. Stored rows may have them. */
export const MODE_ALIASES: { readonly [name: string]: Mode } = {
  "auto-edit": "accept-edits",
  acceptEdits: "accept-edits",
};

/** As people read it in a sentence. */
export function modeText(mode: Mode): string {
  return mode.replace("-", " ");
}

/** Facts about a call besides its arguments. */
export const TAGS = ["network", "privileged", "destructive", "messages", "mutating", "unclassified"] as const;
export type Tag = (typeof TAGS)[number];

type Texts = { readonly [argument: string]: string };

export interface When {
  readonly anyTag?: readonly Tag[];
  readonly allTags?: readonly Tag[];
  /** Arguments with exactly this value. */
  readonly argEquals?: Texts;
  /** Arguments that begin with this: by whole words for a command, by whole names for a path. */
  readonly argPrefix?: Texts;
  readonly profile?: string;
  readonly anyProfile?: readonly string[];
}

export interface Rule {
  /** A syscall, all of a domain as `fs.*`, or `*`. */
  readonly match: string;
  /** gsv, host or a device; `targets/*` is every target except gsv. Default: any. */
  readonly target?: string;
  readonly when?: When;
  readonly action: Action;
}

export interface Policy {
  /** If missing, the next wider policy decides. */
  readonly default?: Action;
  readonly rules: readonly Rule[];
}

/** A rule saved with an answer to an approval. */
export interface StandingRule {
  readonly id: string;
  /** A workspace or a host directory; null is everywhere. */
  readonly place: string | null;
  readonly rule: Rule;
  /** Who saved it, and from which account. */
  readonly by: string;
  readonly createdAt: number;
}

const RULES_MAX = 500;
const MATCH = /^(?:\*|[a-z][\w-]*(?:\.[a-z][\w-]*)*(?:\.\*)?)$/i;
const TARGET = /^(?:targets\/\*|[\w./:-]{1,100})$/;

/** Throws ECONFIG that names the faulty part. */
export function parsePolicy(text: string): Policy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong("not JSON");
  }
  const { default: fallback, rules = [] } = objectAt(value, "the policy", ["default", "rules"]);
  if (!Array.isArray(rules)) throw wrong("rules must be a list");
  if (rules.length > RULES_MAX) throw wrong(`more than ${RULES_MAX} rules`);
  const read = rules.map((rule, index) => ruleFrom(rule, `rule ${index + 1}`));
  return fallback === undefined ? { rules: read } : { default: actionAt(fallback, "default"), rules: read };
}

export function ruleFrom(value: unknown, at: string): Rule {
  const { match, when, target, action } = objectAt(value, at, ["match", "when", "target", "action"]);
  if (typeof match !== "string" || !MATCH.test(match))
    throw wrong(`${at}: match must be a syscall, domain.* or *, for example shell.exec`);
  const { target: within, ...rest } = when === undefined ? {} : objectAt(when, `${at}: when`, [...WHEN, "target"]);
  const place = target ?? within;
  if (place !== undefined && (typeof place !== "string" || !TARGET.test(place)))
    throw wrong(`${at}: target must be gsv, host or targets/*`);
  const read = whenFrom(rest, at);
  return {
    match,
    // Older policies say device for every target except gsv.
    ...(place === undefined ? {} : { target: place === "device" ? "targets/*" : place }),
    ...(Object.keys(read).length === 0 ? {} : { when: read }),
    action: actionAt(action, `${at}: action`),
  };
}

const WHEN = ["anyTag", "allTags", "argEquals", "argPrefix", "profile", "anyProfile"];

function whenFrom(value: { readonly [key: string]: unknown }, at: string): When {
  const when: { -readonly [K in keyof When]: When[K] } = {};
  if (value.anyTag !== undefined) when.anyTag = tagsAt(value.anyTag, `${at}: anyTag`);
  if (value.allTags !== undefined) when.allTags = tagsAt(value.allTags, `${at}: allTags`);
  if (value.argEquals !== undefined) when.argEquals = textsAt(value.argEquals, `${at}: argEquals`);
  if (value.argPrefix !== undefined) when.argPrefix = textsAt(value.argPrefix, `${at}: argPrefix`);
  if (value.profile !== undefined) when.profile = wordsAt([value.profile], `${at}: profile`)[0]!;
  if (value.anyProfile !== undefined) when.anyProfile = wordsAt(value.anyProfile, `${at}: anyProfile`);
  return when;
}

function actionAt(value: unknown, at: string): Action {
  const action = ACTIONS.find((each) => each === value);
  if (action === undefined) throw wrong(`${at} must be one of ${ACTIONS.join(", ")}`);
  return action;
}

function tagsAt(value: unknown, at: string): readonly Tag[] {
  return wordsAt(value, at).map((word) => {
    const tag = TAGS.find((each) => each === word);
    if (tag === undefined) throw wrong(`${at}: unknown tag ${word.slice(0, 40)}; tags: ${TAGS.join(", ")}`);
    return tag;
  });
}

function wordsAt(value: unknown, at: string): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")) return value;
  throw wrong(`${at} must be a list of words`);
}

/** Older argument names. */
const RENAMED: { readonly [argument: string]: string } = { input: "command" };

function textsAt(value: unknown, at: string): Texts {
  const entries = Object.entries(objectAt(value, at, null));
  if (entries.length === 0) throw wrong(`${at} names no argument`);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (typeof text !== "string" || text === "") throw wrong(`${at}.${name} must be a text`);
      return [RENAMED[name] ?? name, text];
    }),
  );
}

/** Unknown keys are refused: a mistyped condition must not be dropped. */
function objectAt(value: unknown, at: string, keys: readonly string[] | null): { readonly [key: string]: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(`${at} must be an object`);
  const unknown = keys === null ? undefined : Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) throw wrong(`${at}: unknown key ${unknown.slice(0, 40)}; keys: ${keys?.join(", ")}`);
  return value as { readonly [key: string]: unknown };
}

function wrong(what: string): SysError {
  return new SysError("ECONFIG", `invalid policy: ${what}`, [
    'for example {"rules":[{"match":"shell.exec","target":"host","when":{"argPrefix":{"command":"npm test"}},"action":"auto"}]}',
  ]);
}
