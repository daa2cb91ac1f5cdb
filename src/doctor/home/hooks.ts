// Check: hooks that can never run as they lie there, and those that wait for somebody's word. Their bytes are read; none is run.

import { chmodSync, lstatSync } from "node:fs";
import { type Check, counted, type Found, notice, ok, problem, some } from "../check.ts";

const OTHERS_WRITE = 0o022;

export const hooks: Check = {
  name: "hooks",
  needsHome: true,
  async look(patient) {
    const all = await patient.hooks();
    if (all.length === 0) return [];
    const refused = all.filter(({ state }) => state === "refused");
    const waiting = all.filter(({ state }) => state === "new" || state === "changed");
    const found: Found[] = refused.map(({ hook, path, why, fix }) =>
      problem(`the hook ${hook} does not run: ${why ?? "it is refused"}`, {
        fix: fix ?? "gsv hooks list",
        ...(isLoose(path, patient.uid) ? { repair: async () => tightened(path) } : {}),
      }),
    );
    if (waiting.length > 0) found.push(waitingFor(waiting.map(({ hook }) => hook)));
    return found.length > 0 ? found : [ok(`${counted(all.length, "hook")}, each allowed or denied as it is`)];
  },
};

function waitingFor(names: readonly string[]): Found {
  return notice(`nobody has allowed or denied ${some(names)} as it is now`, {
    fix: `gsv hooks allow ${names[0] ?? ""}, or gsv hooks deny`,
  });
}

function isLoose(path: string, uid: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.uid === uid && (stat.mode & OTHERS_WRITE) !== 0;
}

async function tightened(path: string): Promise<string> {
  chmodSync(path, lstatSync(path).mode & 0o7777 & ~OTHERS_WRITE);
  return `nobody else can write to ${path}`;
}
