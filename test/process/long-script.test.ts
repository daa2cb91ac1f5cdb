// Time limits of scripts in gsv's shell: a person's script may wait for agents, an agent's has a limit.

import { expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { begin, finish } from "../support/shell.ts";

test("a person's script waits for an agent longer than an agent's script may", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "At last.", hold: true });
  const typing = await begin(home, ["sh", "-c", "chat --quiet hello && echo done"]);
  await home.holding();
  await home.clock.advance(LIMITS.shellWallMs * 4);
  home.model.release();
  expect(await finish(home, typing)).toMatchObject({ status: 0, stdout: "At last.\ndone\n" });
});
