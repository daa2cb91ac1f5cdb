// kill -9 of the kernel between the decisions of a stack, and while an approved call runs: no decision is lost, and nothing runs twice.

import { expect, test } from "bun:test";
import type { Message } from "../../src/abi/process/message.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { jsonLines, until, withHome } from "../support/home.ts";
import { seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";
import { HomeBook } from "../support/sound.ts";

const NAMES = ["one", "two", "three", "four"];
/** Each asks, because it deletes, and leaves a line in the log each time that it runs. */
const CALLS = NAMES.map((name) => ({
  name: "Shell",
  args: { command: `rm ~/${name}; echo ${name} >> ~/log`, target: "gsv" },
}));

type Home = Parameters<Parameters<typeof withHome>[0]>[0];

async function asked(home: Home): Promise<readonly Approval[]> {
  return jsonLines<Approval>((await home.gsv(["approvals", "--json"])).stdout);
}

async function begin(home: Home): Promise<readonly Approval[]> {
  const script = await home.file("script", [{ calls: CALLS }, { text: "all done", repeat: 10 }]);
  for (const name of NAMES) await home.gsv(["fs", "write", `~/${name}`, "x"]);
  expect((await home.gsv(["chat", "clean up"], { env: { GSV_MODEL: `script:${script}` } })).status).toBe(5);
  const stack = await asked(home);
  expect(stack).toHaveLength(NAMES.length);
  return stack;
}

async function logged(home: Home): Promise<string[]> {
  const { stdout } = await home.gsv(["fs", "read", "~/log"]);
  return stdout.split("\n").filter((line) => line !== "");
}

async function outcomes(home: Home): Promise<(string | undefined)[]> {
  const { stdout } = await home.gsv(["proc", "history", "--json"]);
  const results = jsonLines<Message>(stdout).filter((message) => message.role === "toolResult");
  return results.map((message) => message.content.outcome);
}

test("a kernel killed after each decision has run what was decided, asks for the rest, and runs nothing twice", async () => {
  await withHome(async (home) => {
    const stack = await begin(home);
    for (const [index, { id }] of stack.entries()) {
      const decision = NAMES[index] === "three" ? "deny" : "approve";
      expect((await home.gsv([decision, id])).status).toBe(0);
      await until(`${NAMES[index]} has its result`, async () => (await outcomes(home)).length === index + 1);
      await home.kill();
      expect((await asked(home)).map((each) => each.id)).toEqual(stack.slice(index + 1).map((each) => each.id));
    }
    expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
    expect(await outcomes(home)).toEqual(["completed", "completed", "denied", "completed"]);
    expect(await logged(home)).toEqual(["one", "two", "four"]);
    await home.stop();
    expect(new HomeBook(home).faults).toEqual([]);
  });
}, 60_000);

for (let seed = 1; seed <= samples(1, 20); seed++) {
  test(`seed ${seed}: a kernel killed at any moment around the decisions gives every call one result, and runs none twice`, async () => {
    await withHome(async (home) => {
      const random = seeded(seed);
      const stack = await begin(home);
      for (const { id } of stack) {
        const answered = home.gsv(["approve", id]);
        await Bun.sleep(random.int(60));
        await home.kill();
        // It is stored or it is not: answered again, the same answer succeeds.
        await answered;
        expect((await home.gsv(["approve", id])).status).toBe(0);
      }
      expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
      const [lines, ends] = [await logged(home), await outcomes(home)];
      expect(ends).toHaveLength(NAMES.length);
      // A call that was cut may or may not have left its line; one that completed has, and none has two.
      expect(lines).toEqual(NAMES.filter((name) => lines.includes(name)));
      for (const [index, name] of NAMES.entries())
        expect(ends[index] === "unknown" || (ends[index] === "completed" && lines.includes(name))).toBe(true);
      await home.stop();
      expect(new HomeBook(home).faults).toEqual([]);
    });
  }, 60_000);
}
