import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { realClock } from "../../src/lib/clock.ts";
import { ConnectionLost, isServed } from "../../src/rpc/client.ts";
import { serve } from "../../src/rpc/server.ts";
import { classOf, FakeDoor, until } from "../support/door.ts";
import { cleanUp, client, kernel } from "../support/wire.ts";

afterEach(cleanUp);

describe("the socket path", () => {
  test("replaces the socket of a dead kernel, and a half-made one", async () => {
    const { socketPath, server } = await kernel();
    await server.close();
    writeFileSync(socketPath, "");
    writeFileSync(`${socketPath}.new`, "");
    expect(await isServed(socketPath)).toBe(false);
    const again = await serve({ socketPath, door: new FakeDoor(), clock: realClock, pid: 1, exe: "gsv", classOf });

    expect(await isServed(socketPath)).toBe(true);
    expect(existsSync(`${socketPath}.new`)).toBe(false);
    await again.close();
  });

  test("closing removes it, but not when another kernel has put its own there", async () => {
    const first = await kernel();
    const second = await serve({
      socketPath: first.socketPath,
      door: new FakeDoor(),
      clock: realClock,
      pid: 1,
      exe: "gsv",
      classOf,
    });
    await first.server.close();
    expect(await isServed(first.socketPath)).toBe(true);
    await second.close();
    expect(existsSync(first.socketPath)).toBe(false);
  });

  test("no client gets in while the check at accept refuses", async () => {
    const { socketPath, server, door } = await kernel();
    server.onConnect(() => false);
    const error = await client(socketPath).catch((reason) => reason);
    expect(error).toBeInstanceOf(ConnectionLost);
    expect(door.clients).toEqual([]);
  });
});

describe("leaving", () => {
  test("bye reaches every client, also later ones, and calls are still answered", async () => {
    const { socketPath, server } = await kernel();
    const early = await client(socketPath);
    server.bye("restart");
    const late = await client(socketPath);
    await until("both know", () => early.leaving === "restart" && late.leaving === "restart");
    expect(await early.call("count", {}, { requestId: "a" })).toBe(1);
  });

  test("close answers the keyed calls it has, leaves the rest unanswered and ends", async () => {
    const { socketPath, server, door } = await kernel();
    const link = await client(socketPath);
    const keyed = link.call("slowCount", {}, { requestId: "k" });
    const wait = link.call("wait", {}).catch((error) => error);
    await until("both arrived", () => door.calls.length === 2);
    const closed = server.close();
    door.release();
    expect(await keyed).toBe(1);
    expect(await wait).toBeInstanceOf(ConnectionLost);
    await closed;
    await link.ended;
  });

  test("close does not wait for ever for a call that hangs or a peer that does not read", async () => {
    const { socketPath, server, door } = await kernel({ closeMs: 50 });
    const link = await client(socketPath);
    link.call("slowCount", {}, { requestId: "k" }).catch(() => {});
    await until("it arrived", () => door.calls.length === 1);
    await server.close();
    await link.ended;
  });
});
