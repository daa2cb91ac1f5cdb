// Bytes on the socket that no gsv would send, with a whole kernel behind it: that connection ends with one error frame, and everything else
// continues.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { openSys } from "../../src/rpc/connect.ts";
import { serve } from "../../src/rpc/server.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import type { Sent } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { seeded } from "../support/random.ts";

const HELLO = `${JSON.stringify({ kind: "hello", clientId: "c1", version: "1", cwd: "/", env: {} })}\n`;

interface Answered {
  readonly lines: readonly { readonly [key: string]: unknown }[];
  readonly closed: boolean;
}

/** Says hello, sends these bytes and listens until the server has sent that many lines or closed. */
async function talk(path: string, bytes: string | Uint8Array, lines: number, hello = HELLO): Promise<Answered> {
  let wake = () => {};
  let text = "";
  let closed = false;
  const socket = await Bun.connect({
    unix: path,
    socket: {
      data(_, chunk) {
        text += chunk.toString();
        wake();
      },
      close() {
        closed = true;
        wake();
      },
      drain: () => wake(),
    },
  });
  const heard = async (count: number) => {
    while (!closed && text.split("\n").length <= count) await new Promise<void>((resolve) => (wake = resolve));
  };
  socket.write(hello);
  await heard(1);
  let rest: Uint8Array = Buffer.from(bytes as string);
  while (rest.length > 0 && !closed) {
    rest = rest.subarray(Math.max(0, socket.write(rest)));
    if (rest.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await heard(lines);
  const answered = {
    lines: text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    closed,
  };
  socket.end();
  return answered;
}

async function served(work: (home: TestKernel, path: string) => Promise<void>): Promise<void> {
  await using home = await TestKernel.boot();
  const socketPath = join(home.paths.runDir, "kernel.sock");
  const door = { version: "0", accept: home.kernel.accept };
  const classOf = (name: string) => SYSCALLS.get(name)?.class;
  const server = await serve({ socketPath, door, clock: realClock, pid: 1, exe: "gsv", classOf });
  try {
    await work(home, socketPath);
    const again = await talk(socketPath, call(1, "proc.get", { pid: INIT }), 2);
    expect(again.lines[1]).toMatchObject({ kind: "res", value: { pid: INIT } });
  } finally {
    await server.close();
  }
}

function call(id: number, name: string, args: unknown): string {
  return `${JSON.stringify({ kind: "req", id, name, args })}\n`;
}

const deep = `${"[".repeat(1e5)}${"]".repeat(1e5)}`;
const BROKEN: { readonly [what: string]: string | Uint8Array } = {
  "nested 10^5 deep": `{"kind":"req","id":1,"name":"proc.send","args":{"message":${deep}}}\n`,
  "nested 10^5 deep and cut off": `{"kind":"req","id":1,"name":"proc.send","args":${"[".repeat(1e5)}\n`,
  "longer than a frame": `{"kind":"req","id":1,"name":"proc.send","args":{"message":"${"x".repeat(1024 * 1024)}"}}\n`,
  "not JSON": "GET / HTTP/1.1\r\n\r\n",
  "not UTF-8": Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d, 0x0a),
  "a list": "[1,2,3]\n",
  "of no kind": '{"kind":"__proto__"}\n',
  "a call without arguments": '{"kind":"req","id":1,"name":"proc.list"}\n',
  "a call with a list of arguments": '{"kind":"req","id":1,"name":"proc.list","args":[]}\n',
  "a call with an id that is no number": '{"kind":"req","id":"1","name":"proc.list","args":{}}\n',
  "a call with an id beyond all numbers": '{"kind":"req","id":1e999,"name":"proc.list","args":{}}\n',
  "a second hello": HELLO,
};

test("an invalid frame ends its connection with EPROTO, and the kernel continues to serve", () =>
  served(async (home, path) => {
    for (const [what, bytes] of Object.entries(BROKEN)) {
      const { lines, closed } = await talk(path, bytes, 3);
      expect(`${what}: ${lines.map((line) => line.kind)}`).toBe(`${what}: helloOk,refused`);
      expect(lines[1]?.error).toMatchObject({ code: "EPROTO", message: expect.stringMatching(/^[^\n]{1,200}$/) });
      expect(closed).toBe(true);
    }
    expect(await home.messages(INIT)).toEqual([]);
  }));

test("a valid frame with a senseless call is answered, and the connection stays open", () =>
  served(async (_, path) => {
    const calls = [
      call(1, "no.such", {}),
      call(2, "proc.get", { pid: "__proto__" }),
      call(3, "proc.get", { pid: { toString: 1 } }),
      '{"kind":"req","id":4,"name":"proc.get","args":{"__proto__":{"pid":"init:1000"}}}\n',
      '{"kind":"req","id":5,"name":"proc.get","args":{"pid":"init:1000","pid":"task:zzzzzz"}}\n',
      '{"kind":"req","id":6,"name":"proc.send","args":{"message":"x"},"requestId":"not a key"}\n',
      '{"kind":"cancel","id":99}\n{"kind":"unsub","id":99}\n',
      call(7, "proc.get", { pid: INIT, extra: true }),
    ];
    const { lines, closed } = await talk(path, calls.join(""), 8);
    const codes = lines.slice(1).sort((one, other) => Number(one.id) - Number(other.id));
    expect(codes.map((line) => (line.error as { code?: string } | undefined)?.code ?? "ok")).toEqual([
      "ENOSYS",
      "ESRCH",
      "EINVAL",
      "EINVAL",
      "ESRCH",
      "EINVAL",
      "ok",
    ]);
    expect(closed).toBe(false);
  }));

test("a client that claims to be another account is still the home's owner", () =>
  served(async (_, path) => {
    const hello = {
      kind: "hello",
      clientId: "c1",
      version: "1",
      cwd: "/",
      env: { USER: "root" },
      uid: 0,
      capabilities: ["*"],
    };
    const { lines } = await talk(path, call(1, "system.whoami", { uid: 0 }), 2, `${JSON.stringify(hello)}\n`);
    expect(lines[1]?.value).toMatchObject({ uid: 1000, username: "sam", kind: "person" });
  }));

test("a client subscribed to its own runs gets their signals over the socket, and no others", () =>
  served(async (home, path) => {
    const client = (clientId: string) =>
      openSys({
        socketPath: path,
        info: { clientId, version: "0", cwd: "/", env: {} },
        exe: "gsv",
        clock: realClock,
        random: seeded(5).bytes,
        classOf: (name) => SYSCALLS.get(name)?.class,
        readSys: async () => null,
        startKernel: async () => ({ status: 1, says: "the test has one" }),
        showedInterrupted: () => false,
        isSuspended: async () => null,
        holderPid: () => null,
      });
    const [mine, other] = [client("mine"), client("other")];
    const heard: string[] = [];
    mine.on({ mine: true, names: ["chat.complete"] }, (signal) => heard.push("run" in signal ? signal.run : ""));
    await mine.call("system.whoami", {});
    const runs: string[] = [];
    for (const sys of [other, mine, other]) {
      const { runId } = await sys.call<Sent>("proc.send", { message: "hello" });
      runs.push(runId);
      await home.ended(runId);
    }
    await mine.call("system.whoami", {});
    expect(heard).toEqual(runs.slice(1, 2));
    await Promise.all([mine.close(), other.close()]);
  }));
