// A line that is cut at random, again and again, while four processes talk: every message arrives once.

import { expect, test } from "bun:test";
import { seeded } from "../support/random.ts";
import { ServedKernel } from "../support/served-kernel.ts";
import { SEED } from "../support/soak.ts";
import { SseReader } from "../support/sse.ts";

const MESSAGES = 60;

test("random cuts lose no message and repeat none", async () => {
  const served = await ServedKernel.boot();
  const { kernel } = served;
  const random = seeded(SEED);
  const pids = ["init:1000", await kernel.task(), await kernel.task(), await kernel.task()];
  await kernel.clock.advance(60_000);
  let isDone = false;
  const talking = (async () => {
    for (let number = 0; number < MESSAGES; number++) {
      await kernel.send(`message ${number}`, { pid: random.pick(pids) });
      if (number % 5 === 0) await kernel.clock.advance(random.int(4000));
    }
    for (const pid of pids) await kernel.inState(pid, "idle");
    isDone = true;
  })();
  const got: string[] = [];
  let lastId = "";
  for (let isLast = false; !isLast; ) {
    isLast = isDone;
    const reader = await SseReader.open(`${served.listener.url}/api/events?types=message`, {
      authorization: `Bearer ${served.token}`,
      ...(lastId !== "" && { "last-event-id": lastId }),
    });
    const bytes = random.int(3000);
    const all = async () => (await Promise.all(pids.map((pid) => kernel.messages(pid)))).flat().length;
    if (isLast) await kernel.until("the rest comes", async () => got.length + reader.events.length >= (await all()));
    else await kernel.until("some bytes come", () => reader.bytes >= bytes || isDone);
    await reader.cut();
    got.push(...reader.events.map(({ data }) => `${data.pid}:${data.id}`));
    if (reader.lastId !== "") lastId = reader.lastId;
  }
  await talking;
  const histories = await Promise.all(
    pids.map(async (pid) => (await kernel.messages(pid)).map(({ id }) => `${pid}:${id}`)),
  );
  expect(got.sort()).toEqual(histories.flat().sort());
});
