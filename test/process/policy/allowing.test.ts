// Allowing more than one call from a card: what is picked becomes a rule, listed with its place, that can be removed.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "../../../src/abi/process/process.ts";
import type { AnsweredApproval } from "../../../src/syscalls/approval/hil.ts";
import type { ShownRule } from "../../../src/syscalls/approval/policy.ts";
import { Desk, why } from "../../support/desk.ts";
import { INIT } from "../../support/kernel.ts";
import { standInSandbox } from "../../support/sandbox.ts";
import { scratchDirectory } from "../../support/scratch.ts";

const scratch = scratchDirectory("allowing");
const [work, bin] = [join(scratch, "work"), join(scratch, "bin")];
for (const directory of [work, join(work, "src"), bin]) mkdirSync(directory);
writeFileSync(join(bin, "npm"), '#!/bin/bash\necho "npm $*"\n', { mode: 0o755 });
const sandbox = standInSandbox(scratch);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const hostEnv = { PATH: `${bin}:/usr/bin:/bin`, HOME: scratch };
const at = () => Desk.at({ cwd: work, sandbox: sandbox.program, hostEnv });

/** A desk whose directory is attached. */
async function attached(): Promise<Desk> {
  const desk = await at();
  await desk.home.sys.call("workspace.attach", { what: work, pid: INIT });
  return desk;
}

const run = (desk: Desk, command: string, more = {}) =>
  desk.calls("Shell", { target: "host", command, cwd: work, ...more });

async function allow(desk: Desk, asked: string | Approval, pattern?: string): Promise<string> {
  if (typeof asked === "string") throw new Error(asked);
  const more = pattern === undefined ? {} : { pattern };
  const answer = { id: asked.id, decision: "approve", always: true, hash: asked.hash, ...more };
  const { rule = "" } = await desk.home.sys.call<AnsweredApproval>("hil.answer", answer);
  await desk.home.until("the run ends", () => desk.isIdle());
  return rule;
}

const rules = async (desk: Desk) =>
  (await desk.home.sys.call<{ rules: readonly ShownRule[] }>("policy.list", {})).rules;

test("a pattern allows the command and its like here, with the network they need, until it is removed", async () => {
  await using desk = await attached();
  const asked = await run(desk, "npm install lodash");
  expect(asked).toMatchObject({ about: { patterns: ["npm install lodash *", "npm install *", "npm *"] } });
  const rule = await allow(desk, asked, "npm install *");
  expect((await desk.results()).at(-1)).toBe("npm install lodash\n(exit status 0)");
  expect(await run(desk, "npm install left-pad")).toBe("npm install left-pad\n(exit status 0)");
  expect(sandbox.calls().at(-1)).not.toContain("--unshare-net");
  expect(await rules(desk)).toMatchObject([{ id: rule, place: work, by: "sam" }]);
  for (const command of ["npm test", "npm publish", "npm install x && rm -rf src", "sudo npm install x"]) {
    const other = await run(desk, command);
    expect(`${why(other)}`).toEndWith(`: ${command}`);
    await desk.answers(other, "deny");
  }
  await desk.home.sys.call("policy.revoke", { id: rule });
  expect(why(await run(desk, "npm install left-pad"))).toContain("npm install left-pad");
});

test("a pattern that does not cover the call is refused, and the request stays open", async () => {
  await using desk = await attached();
  const asked = (await run(desk, "npm test")) as Approval;
  const tries = { always: true, pattern: "yarn *" };
  const refused = await desk.home.refusal("hil.answer", { id: asked.id, decision: "approve", ...tries });
  expect([refused.code, refused.message]).toEqual(["EINVAL", "does not cover the command on the card: yarn *"]);
  expect(await desk.open()).toHaveLength(1);
  expect(await rules(desk)).toEqual([]);
});

test("dangerous commands have no pattern, only their exact line", async () => {
  await using desk = await attached();
  const asked = (await run(desk, "rm -rf build")) as Approval;
  expect(asked.about?.patterns).toBeUndefined();
  const tries = { always: true, pattern: "rm *" };
  const refused = await desk.home.refusal("hil.answer", { id: asked.id, decision: "approve", ...tries });
  expect([refused.code, refused.message]).toEqual(["EPERM", "no pattern can cover this call: rm *"]);
  await allow(desk, asked);
  expect(await run(desk, "rm -rf build")).toBe("(exit status 0)");
  expect(why(await run(desk, "rm -rf src"))).toEndWith(": rm -rf src");
});

test("a rule for a command without the network does not cover it with the network", async () => {
  await using desk = await attached();
  await allow(desk, await run(desk, "npm test"));
  expect(await run(desk, "npm test")).toBe("npm test\n(exit status 0)");
  expect(why(await run(desk, "npm test", { network: true }))).toContain(
    "in a sandbox with network, for this command only",
  );
});

test.each(["host", "gsv"])(
  "for a file on %s the pattern is its directory, and other files still ask",
  async (target) => {
    await using desk = await attached();
    const write = (name: string) => desk.calls("Write", { target, path: join(work, name), content: "x\n" });
    const asked = await write("src/a.ts");
    expect(asked).toMatchObject({ about: { patterns: [`${work}/src/*`] } });
    await allow(desk, asked, `${work}/src/*`);
    expect(why(await write("src/b.ts"))).toStartWith("ran: ");
    expect(await rules(desk)).toMatchObject([{ directory: work }]);
    expect(why(await write("c.ts"))).toContain("write ");
  },
);
