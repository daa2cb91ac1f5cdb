// Only an approved command that needs the network gets it.

import { expect, test } from "bun:test";
import type { Caller } from "../../src/abi/identity.ts";
import { HostLauncher, type HostLauncherPorts } from "../../src/kernel/shells/host-launcher.ts";
import { needsOfLine } from "../../src/process/approvals/approval-card/command-needs.ts";
import { shellLine } from "../../src/process/approvals/policy/shell-line.ts";
import type { HostJob } from "../../src/targets/host-jobs.ts";
import type { Confinement } from "../../src/targets/sandbox.ts";

const AGENT = {
  kind: "process",
  uid: 1001,
  ownerUid: 1000,
  pid: "init:1000",
  username: "friday",
  capabilities: ["shell.host"],
} as unknown as Caller;

async function networkOf(script: string, caller: Partial<Caller>, network?: boolean): Promise<boolean> {
  let confined: Confinement | undefined;
  const ports = {
    host: { get: () => null, start: () => ({ ended: Promise.resolve() }) as unknown as HostJob },
    places: { ofProcess: async () => ({ directory: "/p", attached: true }) },
    env: {},
    personsEnv: {},
    looksAt: () => null,
    needs: async (text: string) =>
      needsOfLine(await shellLine(text, async () => () => ({ type: "Script", statements: [] }))),
    sandbox: async () => ({
      name: "bwrap",
      env: {},
      personsEnv: {},
      wrap: (argv: readonly string[], confinement: Confinement) => {
        confined = confinement;
        return argv;
      },
    }),
    surroundings: () => ({ hidden: { own: [], directories: [], files: [] }, resolver: null }),
    isPersonOfHome: async () => true,
    rowOf: async () => ({ pid: "init:1000" }),
  } as unknown as HostLauncherPorts;
  const request = { id: "one", script, ...(network === undefined ? {} : { network }) };
  await new HostLauncher(ports).start({ caller: { ...AGENT, ...caller } } as never, request as never);
  return confined?.network === true;
}

test("an approved command that needs the network gets it", async () => {
  expect(await networkOf("npm install", { approved: true })).toBe(true);
  expect(await networkOf("git push origin main", { approved: true })).toBe(true);
  expect(await networkOf("npm install", { allowedByRuleOrMode: true })).toBe(true);
});

test("an approved command that does not need the network runs without it, unless the agent asked for it", async () => {
  expect(await networkOf("npm test", { approved: true })).toBe(false);
  expect(await networkOf("node server.js", { approved: true })).toBe(false);
  expect(await networkOf("node server.js", { approved: true }, true)).toBe(true);
});
