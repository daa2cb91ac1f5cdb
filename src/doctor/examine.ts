// Runs the checks: quickly for `gsv doctor`, which needs nothing and never fails, and fully for `gsv fsck`. An error of a check is a finding.
// Repairs run only on request, and the check runs again after them.

import { SysError } from "../abi/errno.ts";
import { agreement } from "./agreement.ts";
import { type Check, type CheckResult, type Depth, faultLine, type Level, notice, problem } from "./check.ts";
import { crashes, hooks, leftovers, schedules, secrets, storage, unfinished, workspaces } from "./contents.ts";
import { databases } from "./databases.ts";
import { home, isThere, lock, permissions, versions, writable } from "./home.ts";
import { clock, disk, editor, git, provider, sandbox, socket, terminal } from "./machine.ts";
import type { Patient } from "./patient.ts";
import { archives, objects, repositories } from "./stored.ts";

const QUICK: readonly Check[] = [
  home,
  permissions,
  versions,
  lock,
  socket,
  leftovers,
  crashes,
  databases,
  agreement,
  unfinished,
  schedules,
  archives,
  workspaces,
  secrets,
  hooks,
  storage,
  repositories,
  git,
  terminal,
  editor,
  provider,
  sandbox,
  disk,
  clock,
];
const DEEP: readonly Check[] = [databases, agreement, archives, objects, repositories];
/** Problems of these keep `gsv fsck` from repairing. */
const FIRST: readonly Check[] = [writable, versions];

const LOOKS_MAX = 4;
const BETWEEN_LOOKS_MS = 100;

export interface Finding {
  readonly check: string;
  readonly level: Level | "fixed";
  readonly what: string;
  readonly fix?: string;
}

export interface Doctor {
  /** Throws only for an unknown check. */
  examine(options: { readonly checks: readonly string[]; readonly fix: boolean }): Promise<readonly Finding[]>;
  /** Repairs need the kernel stopped. */
  fsck(options: { readonly repair: boolean }): Promise<readonly Finding[]>;
}

export function doctorOf(patient: Patient): Doctor {
  return {
    async examine({ checks, fix }) {
      return findings(patient, chosen(checks), { depth: "quick", repair: fix });
    },
    async fsck({ repair }) {
      if (!isThere(patient)) {
        const where = patient.homeFault === null ? ` at ${patient.paths.home}` : `: ${patient.homeFault.message}`;
        return [{ check: "home", ...notice(`there is nothing to check${where}`, { fix: "gsv doctor shows why" }) }];
      }
      const first = await findings(patient, FIRST, { depth: "full", repair: false });
      const unusable = first.filter(({ level }) => level === "problem");
      if (repair && unusable.length > 0) return unusable;
      const look = () => findings(patient, DEEP, { depth: "full", repair });
      return [...unusable, ...(await (repair ? patient.lock.hold(look) : look()))];
    },
  };
}

function chosen(names: readonly string[]): readonly Check[] {
  const known = QUICK.map((check) => check.name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new SysError("EUSAGE", `unknown check: ${stranger}`, [`checks: ${known.join(" ")}`]);
  return names.length === 0 ? QUICK : QUICK.filter((check) => names.includes(check.name));
}

interface Going {
  readonly depth: Depth;
  readonly repair: boolean;
}

async function findings(patient: Patient, checks: readonly Check[], { depth, repair }: Going): Promise<Finding[]> {
  const all: Finding[] = [];
  for (const check of checks) {
    const found = await lookTwice(check, patient, depth);
    const repaired = repair ? await repairs(found) : [];
    const now = repaired.length === 0 ? found : await lookTwice(check, patient, depth);
    for (const { level, what, fix } of [...repaired, ...now])
      all.push({ check: check.name, level, what, ...(fix === undefined ? {} : { fix }) });
  }
  return all;
}

/** While a kernel is running, a problem counts only if two checks in a row find it. */
async function lookTwice(check: Check, patient: Patient, depth: Depth): Promise<readonly CheckResult[]> {
  let seen = new Set<string>();
  for (let left = LOOKS_MAX; ; left--) {
    const found = await look(check, patient, depth);
    const problems = found.filter(({ level }) => level === "problem").map(({ what }) => what);
    if (left === 1 || problems.every((what) => seen.has(what)) || !patient.lock.isHeld()) return found;
    seen = new Set(problems);
    await patient.clock.sleep(BETWEEN_LOOKS_MS);
  }
}

async function look(check: Check, patient: Patient, depth: Depth): Promise<readonly CheckResult[]> {
  if (check.needsHome && !isThere(patient)) return [];
  try {
    return await check.look(patient, depth);
  } catch (error) {
    return [problem(`the check failed: ${faultLine(error)}`)];
  }
}

interface Repaired {
  readonly level: "fixed" | "problem";
  readonly what: string;
  readonly fix?: string;
}

async function repairs(found: readonly CheckResult[]): Promise<Repaired[]> {
  const done: Repaired[] = [];
  for (const { repair } of found) {
    if (repair === undefined) continue;
    try {
      done.push({ level: "fixed", what: await repair() });
    } catch (error) {
      const fix = error instanceof SysError ? error.hints.join("; ") : "";
      done.push({ level: "problem", what: `not repaired: ${faultLine(error)}`, ...(fix === "" ? {} : { fix }) });
    }
  }
  return done;
}
