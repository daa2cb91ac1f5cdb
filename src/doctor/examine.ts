// All checks in order, and the two ways to go through them: the doctor's quick look, which needs nothing and never fails, and the deep look
// of fsck. What a check throws is a finding like any other. Repairs are made only when asked for, and what they mended is looked at again.

import { SysError } from "../abi/errno.ts";
import { agreement } from "./agreement.ts";
import { archives } from "./archives.ts";
import { type Check, type Depth, type Found, faultLine, type Level, notice, problem } from "./check.ts";
import { databases } from "./databases.ts";
import { crashes } from "./home/crashes.ts";
import { home, isThere } from "./home/home.ts";
import { hooks } from "./home/hooks.ts";
import { leftovers } from "./home/leftovers.ts";
import { lock } from "./home/lock.ts";
import { permissions } from "./home/permissions.ts";
import { secrets } from "./home/secrets.ts";
import { storage } from "./home/storage.ts";
import { unfinished } from "./home/unfinished.ts";
import { versions } from "./home/versions.ts";
import { workspaces } from "./home/workspaces.ts";
import { clock } from "./machine/clock.ts";
import { disk } from "./machine/disk.ts";
import { editor } from "./machine/editor.ts";
import { git } from "./machine/git.ts";
import { provider } from "./machine/provider.ts";
import { sandbox } from "./machine/sandbox.ts";
import { socket } from "./machine/socket.ts";
import { terminal } from "./machine/terminal.ts";
import { objects } from "./objects.ts";
import type { Patient } from "./patient.ts";
import { repositories } from "./repositories.ts";

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

const LOOKS_MAX = 4;
const BETWEEN_LOOKS_MS = 100;

/** One line of the answer. */
export interface Finding {
  readonly check: string;
  readonly level: Level | "fixed";
  readonly what: string;
  /** What to do about it. */
  readonly fix?: string;
}

export interface Doctor {
  /** Throws only for a check that does not exist. */
  examine(options: { readonly checks: readonly string[]; readonly fix: boolean }): Promise<readonly Finding[]>;
  /** Repairs need the kernel stopped. */
  fsck(options: { readonly repair: boolean }): Promise<readonly Finding[]>;
}

export function doctorOf(patient: Patient): Doctor {
  return {
    async examine({ checks, fix }) {
      return findings(patient, chosen(checks), { depth: "quick", mend: fix });
    },
    async fsck({ repair }) {
      const look = () => findings(patient, DEEP, { depth: "full", mend: repair });
      if (!isThere(patient)) {
        const where = patient.homeFault === null ? ` at ${patient.paths.home}` : `: ${patient.homeFault.message}`;
        return [{ check: "home", ...notice(`there is nothing to check${where}`, { fix: "gsv doctor says why" }) }];
      }
      return repair ? patient.lock.hold(look) : look();
    },
  };
}

function chosen(names: readonly string[]): readonly Check[] {
  const known = QUICK.map((check) => check.name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new SysError("EUSAGE", `there is no check ${stranger}`, [`checks: ${known.join(" ")}`]);
  return names.length === 0 ? QUICK : QUICK.filter((check) => names.includes(check.name));
}

interface Going {
  readonly depth: Depth;
  readonly mend: boolean;
}

async function findings(patient: Patient, checks: readonly Check[], { depth, mend }: Going): Promise<Finding[]> {
  const all: Finding[] = [];
  for (const check of checks) {
    const found = await lookTwice(check, patient, depth);
    const repaired = mend ? await repairs(found) : [];
    const now = repaired.length === 0 ? found : await lookTwice(check, patient, depth);
    for (const { level, what, fix } of [...repaired, ...now])
      all.push({ check: check.name, level, what, ...(fix === undefined ? {} : { fix }) });
  }
  return all;
}

/** Where a kernel is at work, what is merely on its way is gone at the next look, and no problem. */
async function lookTwice(check: Check, patient: Patient, depth: Depth): Promise<readonly Found[]> {
  let seen = new Set<string>();
  for (let left = LOOKS_MAX; ; left--) {
    const found = await look(check, patient, depth);
    const problems = found.filter(({ level }) => level === "problem").map(({ what }) => what);
    if (left === 1 || problems.every((what) => seen.has(what)) || !patient.lock.isHeld()) return found;
    seen = new Set(problems);
    await patient.clock.sleep(BETWEEN_LOOKS_MS);
  }
}

async function look(check: Check, patient: Patient, depth: Depth): Promise<readonly Found[]> {
  if (check.needsHome && !isThere(patient)) return [];
  try {
    return await check.look(patient, depth);
  } catch (error) {
    return [problem(`could not be looked at: ${faultLine(error)}`)];
  }
}

interface Repaired {
  readonly level: "fixed" | "problem";
  readonly what: string;
  readonly fix?: string;
}

async function repairs(found: readonly Found[]): Promise<Repaired[]> {
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
