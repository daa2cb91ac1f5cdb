// How long a script over gsv's files may take: a person waits for agents in one, as in any shell; an agent's ends by itself.

import { expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { begin, finish } from "../support/shell.ts";

test("a person's script waits for an agent beyond what an agent's script may take", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "At last.", hold: true });
  const typing = await begin(home, ["sh", "-c", "chat --quiet hello && echo done"]);
  await home.holding();
  await home.clock.advance(LIMITS.shellWallMs * 4);
  home.model.release();
  expect(await finish(home, typing)).toMatchObject({ status: 0, stdout: "At last.\ndone\n" });
});
