// A full window reported by real servers on loopback: one request for a summary, and the same question again with a shorter history.

import { expect, test } from "bun:test";
import type { Env } from "../../support/home.ts";
import { WIRES } from "../../support/wire-bytes.ts";
import { KEY, type Spoken } from "../../support/wire-format.ts";
import { reply, WiredKernel } from "../../support/wire-home.ts";

const SERVERS: readonly (readonly [wire: string, model: string, env: (url: string) => Env])[] = [
  ["openai chat completions", "openai/m", (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` })],
  ["anthropic", "anthropic/m", (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url })],
];

test.each(SERVERS)("%s: the client gets one line about it, and the answer", async (name, model, env) => {
  const wire = WIRES[name]!;
  const says = (spoken: Spoken) => reply(name, spoken);
  await using home = await WiredKernel.boot(says({ text: ["so be it"] }));
  const { server } = home;
  const gsv = (...args: string[]) => home.gsv(args, { env: env(server.url) });
  for (const boat of ["first", "second"]) await gsv("chat", "--model", model, `the ${boat} boat`);
  const before = server.requests.length;
  server.will(wire.error("overflow"), says({ text: ["## Task\nCount the boats."] }), says({ text: ["three"] }));
  const { status, stdout, stderr } = await gsv("chat", "--model", model, "how many boats?");
  expect([status, stdout]).toEqual([0, "three\n"]);
  expect(stderr).toMatch(/^\[compacted\] [\d,]+ → [\d,]+ tokens: messages up to \d+ summarized$/m);
  const [full, summary, again] = server.requests.slice(before).map(({ body }) => body);
  expect(full).toContain("the first boat");
  expect(summary).toContain("<transcript>");
  expect(summary).toContain("the first boat");
  expect(again).toContain("Count the boats.");
  expect(again).not.toContain("the first boat");
  expect(server.requests).toHaveLength(before + 3);
  const { stdout: usage } = await gsv("history", "segments", "init:1000", "--json");
  expect(JSON.parse(usage.trim())).toMatchObject({ cause: "overflow", model });
});
