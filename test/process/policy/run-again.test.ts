// An approved command that fails because the sandbox withheld something asks again, with that named. The stand-in for the sandbox tells its
// commands whether they have the network, and the programs here act on it.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../../src/abi/process/process.ts";
import { Desk } from "../../support/desk.ts";
import { INIT } from "../../support/kernel.ts";
import { standInSandbox } from "../../support/sandbox.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const scratch = scratchDirectory("run-again");
const [work, bin] = [join(scratch, "work"), join(scratch, "bin")];
for (const directory of [work, bin]) mkdirSync(directory);
const sandbox = standInSandbox(scratch);
const program = (name: string, text: string) =>
  writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
program(
  "suite",
  'echo run >> runs; [ -z "$STAND_IN_NO_NETWORK" ] && echo passed && exit; echo "Error: getaddrinfo ENOTFOUND api.example" >&2; exit 3',
);
program("broken", "echo 'expected 1 to be 2'; exit 1");
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const hostEnv = { PATH: `${bin}:/usr/bin:/bin`, HOME: scratch };
const at = (options: object = {}) => Desk.at({ cwd: work, sandbox: sandbox.program, hostEnv, ...options });
const suite = { target: "host", command: "suite" };

async function approved(desk: Desk, asked: string | Approval): Promise<Approval | string> {
  if (typeof asked === "string") throw new Error(asked);
  await desk.home.sys.call("hil.answer", { id: asked.id, decision: "approve" });
  let next: Approval | undefined;
  await desk.home.until("it ends or asks", async () => {
    next = (await desk.open())[0];
    return next !== undefined || (await desk.isIdle());
  });
  return next ?? (await desk.results()).at(-1) ?? "";
}

test("the card comes back with what was missing; approved, the command runs again with it", async () => {
  await using desk = await at();
  const first = await desk.calls("Shell", suite);
  expect(first).toMatchObject({ why: expect.stringContaining("in a sandbox without network: suite") });
  const second = (await approved(desk, first)) as Approval;
  expect(second).toMatchObject({
    why: `run on this computer in ${work}, in a sandbox with network, for this command only: suite`,
    about: {
      grants: ["network"],
      reasons: ["failed without network"],
      once: true,
      again: { exit: 3, output: "Error: getaddrinfo ENOTFOUND api.example", withheld: ["network"] },
    },
  });
  expect(await approved(desk, second)).toBe("passed\n(exit status 0)");
  expect(sandbox.calls().at(-1)).not.toContain("--unshare-net");
  const results = await desk.results();
  expect(results).toHaveLength(1);
});

test("denied, the agent gets the result of the first run with the reason", async () => {
  await using desk = await at();
  const second = (await approved(desk, await desk.calls("Shell", suite))) as Approval;
  await desk.home.sys.call("hil.answer", { id: second.id, decision: "deny", message: "mock the server" });
  await desk.home.until("the run ends", () => desk.isIdle());
  expect((await desk.results()).at(-1)).toBe(
    "Error: getaddrinfo ENOTFOUND api.example\n(exit status 3; sam did not allow what the sandbox withheld: mock the server)",
  );
});

test("the second card is for this run only, and outlives the kernel", async () => {
  await using desk = await at();
  const second = (await approved(desk, await desk.calls("Shell", suite))) as Approval;
  const refused = await desk.home.refusal("hil.answer", { id: second.id, decision: "approve", always: true });
  expect([refused.code, refused.message]).toEqual(["EPERM", "a second run with more always needs approval"]);
  await desk.home.restart();
  expect(await desk.answers(second)).toBe("passed\n(exit status 0)");
  // The next call starts from nothing.
  expect(await desk.calls("Shell", suite)).toMatchObject({ why: expect.stringContaining("without network") });
});

test("other failures, and failures with the network, are results and no cards", async () => {
  await using desk = await at();
  expect(await desk.answers(await desk.calls("Shell", { target: "host", command: "broken" }))).toBe(
    "expected 1 to be 2\n(exit status 1)",
  );
  const told = { target: "host", command: "echo Could not resolve host; exit 6", network: true };
  expect(await desk.answers(await desk.calls("Shell", told))).toBe("Could not resolve host\n(exit status 6)");
});

test("without a sandbox nothing is withheld, so no card comes back", async () => {
  await using desk = await at({ sandbox: null });
  const told = { target: "host", command: "echo Could not resolve host; exit 6" };
  expect(await desk.answers(await desk.calls("Shell", told))).toBe("Could not resolve host\n(exit status 6)");
});

test("in mode yolo nobody is asked, and the agent learns what was withheld", async () => {
  await using desk = await at();
  await desk.answers(await desk.calls("Shell", { target: "host", command: "true" }));
  await desk.home.sys.call("proc.mode", { pid: INIT, mode: "yolo" });
  expect(await desk.calls("Shell", suite)).toBe(
    "Error: getaddrinfo ENOTFOUND api.example\n(exit status 3; withheld by the sandbox: network)",
  );
});
