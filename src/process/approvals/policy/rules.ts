// Selects the rule that decides. Narrower policies win: directory, account with profile, account, home. A deny in any policy wins, and the policy
// of a repository can only add asks and denials. Within a policy, rules for an exact call come before patterns, then in order. Pure.

import type { Action, Policy, Rule, Tag } from "../../../abi/policy.ts";
import { isInside } from "../../../lib/inside.ts";
import { foldName } from "../../../lib/text/fold-name.ts";
import type { Word } from "./shell-parts.ts";

export interface Subject {
  readonly call: string;
  readonly target: string;
  readonly profile: string;
  readonly args: { readonly [name: string]: unknown };
  readonly tags: ReadonlySet<Tag>;
  /** The words of the command; null for other calls. */
  readonly words: readonly Word[] | null;
  readonly place: string | null;
  /** Other names of the same file: in gsv the real path of a file on the host, and the reverse. */
  readonly otherNames: readonly string[];
  /** An option that runs another program or writes; only a rule that names it covers it. */
  readonly unstable: string | null;
}

export interface Layer {
  readonly name: string;
  readonly policy: Policy;
  /** The policy may only add asks and denials. */
  readonly narrows?: true;
}

export interface Decision {
  readonly action: Action;
  readonly by: string;
  /** The rule names the whole command text. */
  readonly exact: boolean;
}

export function decision(layers: readonly Layer[], subject: Subject): Decision | null {
  const decisions = layers.flatMap((layer) => {
    const each = decisionOf(layer, subject);
    return each === null || (layer.narrows && each.action === "auto") ? [] : [{ ...each, narrows: layer.narrows }];
  });
  const denied = decisions.find(({ action }) => action === "deny");
  const narrowed = decisions.find(({ narrows }) => narrows);
  return denied ?? narrowed ?? decisions[0] ?? null;
}

function decisionOf({ name, policy }: Layer, subject: Subject): Decision | null {
  const numbered = policy.rules.map((rule, index) => ({ rule, number: index + 1 }));
  const isExact = ({ rule }: { readonly rule: Rule }) => !rule.match.includes("*");
  const ordered = [...numbered.filter(isExact), ...numbered.filter((each) => !isExact(each))];
  const denies = ordered.find(({ rule }) => rule.action === "deny" && fits(rule, subject));
  const first = denies ?? ordered.find(({ rule }) => fits(rule, subject));
  if (first !== undefined) {
    const { rule, number } = first;
    return {
      action: rule.action,
      by: `rule ${number} of ${name}: ${ruleText(rule)}`,
      exact: rule.when?.argEquals?.command !== undefined,
    };
  }
  if (policy.default === undefined) return null;
  return { action: policy.default, by: `the default of ${name}`, exact: false };
}

function ruleText({ match, target, when, action }: Rule): string {
  const about = when === undefined ? "" : ` ${JSON.stringify(when)}`;
  return `${action} ${match}${target === undefined ? "" : ` on ${target}`}${about}`;
}

function fits(rule: Rule, subject: Subject): boolean {
  if (!matches(rule.match, subject.call) || !isAt(rule.target, subject.target)) return false;
  const { anyTag, allTags, argEquals, argPrefix, profile, anyProfile } = rule.when ?? {};
  const { tags } = subject;
  if (profile !== undefined && profile !== subject.profile) return false;
  if (anyProfile !== undefined && !anyProfile.includes(subject.profile)) return false;
  if (anyTag !== undefined && !anyTag.some((tag) => tags.has(tag))) return false;
  if (allTags !== undefined && !allTags.every((tag) => tags.has(tag))) return false;
  const widens = rule.action === "auto";
  if (!Object.entries(argEquals ?? {}).every(([name, text]) => isEqual(subject, name, text, widens))) return false;
  return Object.entries(argPrefix ?? {}).every(([name, text]) => begins(subject, name, text, widens));
}

function matches(pattern: string, call: string): boolean {
  return pattern === "*" || pattern === call || (pattern.endsWith(".*") && call.startsWith(pattern.slice(0, -1)));
}

function isAt(pattern: string | undefined, target: string): boolean {
  return pattern === undefined || pattern === target || (pattern === "targets/*" && target !== "gsv");
}

// An `auto` rule must match for certain; other rules match if they may.
function isEqual(subject: Subject, name: string, text: string, widens: boolean): boolean {
  const value = subject.args[name];
  const names = name === "path" ? namesOf(subject, widens) : null;
  if (names !== null) return names.some((each) => (widens ? each === text : samePath(each, text)));
  return (typeof value === "string" ? value : JSON.stringify(value)) === text;
}

function begins(subject: Subject, name: string, text: string, widens: boolean): boolean {
  if (name === "command" && subject.call === "shell.exec") return beginsWith(subject, text, widens);
  const value = subject.args[name];
  const names = name === "path" ? namesOf(subject, widens) : null;
  if (names !== null)
    return names.some((each) => (widens ? isInside(each, text) : isInside(folded(each), folded(text))));
  return typeof value === "string" && value.startsWith(text);
}

/** The names of the file that a rule may mean; null if the call has no file. */
function namesOf({ place, otherNames, args }: Subject, widens: boolean): readonly string[] | null {
  if (place === null) return null;
  return [place, ...otherNames, ...(widens ? [] : [String(args.path)])];
}

function beginsWith({ words, unstable }: Subject, text: string, widens: boolean): boolean {
  const wanted = text.split(/\s+/).filter((word) => word !== "" && word !== "*");
  if (words === null) return !widens;
  // A null word is only known at run time.
  const fit = wanted.every((word, index) => {
    const has = words[index];
    if (has === undefined) return false;
    return has === null ? !widens : has === word || (!widens && index === 0 && has.endsWith(`/${word}`));
  });
  return fit && !(widens && unstable !== null && !wanted.includes(unstable));
}

function samePath(path: string, other: string): boolean {
  return folded(path) === folded(other);
}

function folded(path: string): string {
  return foldName(path).replace(/(?<=.)\/+$/, "");
}
