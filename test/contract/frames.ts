// What a carrier of frames does with clients that are broken or hostile. Each of them gets a defined answer and is disconnected, or is served;
// the kernel keeps nothing of it, and all others are served.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { type FakeDoor, info, until } from "../support/door.ts";
import { seeded } from "../support/random.ts";

export interface Patience {
  readonly helloMs?: number;
  readonly frameMs?: number;
  readonly refusedMs?: number;
}

/** A peer that sends bytes and counts what it gets. */
export interface Peer {
  send(bytes: string | Uint8Array): void;
  received(): string;
  closed(): boolean;
  close(): void;
}

export interface Carrier {
  readonly door: FakeDoor;
  readonly faults: readonly unknown[];
  clients(): number;
  peer(): Promise<Peer>;
  close(): Promise<unknown>;
}

const HELLO = line({ kind: "hello", ...info() });
const MIB = LIMITS.frameBytesMax;

export function framesContract(name: string, make: (patience: Patience) => Promise<Carrier>): void {
  let carrier: Carrier;
  beforeEach(async () => {
    carrier = await make({});
  });
  afterEach(() => carrier.close());

  async function patient(patience: Patience): Promise<void> {
    await carrier.close();
    carrier = await make(patience);
  }

  async function greeted(): Promise<Peer> {
    const peer = await carrier.peer();
    peer.send(HELLO);
    await until("hello is answered", () => peer.received().includes("helloOk"));
    return peer;
  }

  /** Another client is served, no fault is logged, and nothing is kept of those that are gone. */
  async function expectCalm(): Promise<void> {
    const peer = await greeted();
    await answered(peer, 1);
    peer.close();
    await until("nobody is left", () => carrier.clients() === 0 && carrier.door.listening === 0);
    expect(carrier.faults).toEqual([]);
  }

  async function answered(peer: Peer, id: number): Promise<void> {
    peer.send(echo(id));
    await until(`call ${id} is answered`, () => frames(peer).some((frame) => frame.kind === "res" && frame.id === id));
  }

  async function expectRefused(peer: Peer): Promise<void> {
    await until("it is disconnected", () => peer.closed());
    const refused = frames(peer).filter((frame) => frame.kind === "refused");
    expect(refused).toMatchObject([{ error: { code: "EPROTO" } }]);
    expect(peer.received()).not.toMatch(/\.ts|at \w+ \(|TypeError/);
    await expectCalm();
  }

  describe(`${name} with clients that break the protocol`, () => {
    test.each(Object.entries(MALFORMED))("%s: refused with EPROTO", async (_what, bytes) => {
      const peer = await greeted();
      peer.send(bytes);
      await expectRefused(peer);
    });

    test.each(Object.entries(TOO_EARLY))("before hello, %s: refused with EPROTO", async (_what, bytes) => {
      const peer = await carrier.peer();
      peer.send(bytes);
      await expectRefused(peer);
      expect(carrier.door.calls.map((call) => call.name)).toEqual(["echo"]);
    });

    test.each(Object.entries(HARMLESS))("%s: changes nothing", async (_what, bytes) => {
      const peer = await greeted();
      peer.send(bytes);
      await answered(peer, 77);
      peer.close();
      await expectCalm();
    });

    test("a frame longer than 1 MiB in pieces is refused before its end", async () => {
      const peer = await greeted();
      for (let sent = 0; sent <= MIB; sent += MIB / 4) peer.send("x".repeat(MIB / 4));
      // What it still sends may break the connection before it reads the reason.
      await until("it is disconnected", () => peer.closed());
      await expectCalm();
    });

    test("a frame of exactly 1 MiB is served, also with others in the same write", async () => {
      const peer = await greeted();
      const frame = { kind: "req", id: 5, name: "fail", args: { text: "" } };
      frame.args.text = "x".repeat(MIB - line(frame).length + 1);
      peer.send(
        echo(4)
          .repeat(100)
          .replaceAll(/"id":4/g, (_id, at: number) => `"id":${at + 100}`) + line(frame),
      );
      await until("it is answered", () => peer.received().includes("ESRCH"));
    });

    test("a frame cut at every byte arrives whole", async () => {
      const peer = await greeted();
      const bytes = Buffer.from(line({ kind: "req", id: 9, name: "echo", args: { a: "❄" } }));
      for (const byte of bytes) peer.send(Uint8Array.of(byte));
      await until("it is answered", () => peer.received().includes('"id":9,"value":{"a":"❄"}'));
    });

    test("half a frame and a lost connection: nothing is carried out", async () => {
      const peer = await greeted();
      peer.send(line({ kind: "req", id: 1, name: "count", args: {} }).slice(0, -5));
      peer.close();
      await expectCalm();
      expect(carrier.door.state.counter).toBe(0);
    });

    test("a call id that is in flight is refused, one that was answered is free again", async () => {
      const peer = await greeted();
      await answered(peer, 1);
      await answered(peer, 1);
      peer.send(line({ kind: "req", id: 2, name: "wait", args: {} }) + echo(2));
      await expectRefused(peer);
    });

    test("a repeated request id is carried out once, in one connection and across two", async () => {
      const count = (id: number) => line({ kind: "req", id, name: "count", args: {}, requestId: "once" });
      const [first, second] = [await greeted(), await greeted()];
      first.send(count(1) + count(2));
      second.send(count(1));
      const values = (peer: Peer) => frames(peer).filter(({ kind }) => kind === "res");
      await until("all are answered", () => values(first).length === 2 && values(second).length === 1);
      expect([...values(first), ...values(second)].map(({ value }) => value)).toEqual([1, 1, 1]);
      expect(carrier.door.state.counter).toBe(1);
    });

    test("a connection without hello is closed after the deadline", async () => {
      await patient({ helloMs: 20 });
      const [silent, half] = [await carrier.peer(), await carrier.peer()];
      half.send(HELLO.slice(0, -5));
      await until("both are gone", () => silent.closed() && half.closed() && carrier.clients() === 0);
    });

    test("a frame that does not end is refused after the deadline, a silent client is not", async () => {
      await patient({ frameMs: 30 });
      const [silent, slow] = [await greeted(), await greeted()];
      slow.send('{"kind":"req","id":1,"name":"echo",');
      await until("it is refused", () => slow.closed());
      expect(slow.received()).toContain("a frame did not end within 0.03 s");
      await answered(silent, 1);
    });

    test("a client that goes on sending after its refusal is disconnected", async () => {
      await patient({ refusedMs: 50 });
      const peer = await greeted();
      peer.send("{}\n");
      const more = setInterval(() => peer.send(echo(3)), 5);
      await until("it is gone", () => peer.closed() && carrier.clients() === 0).finally(() => clearInterval(more));
      expect(carrier.door.calls).toEqual([]);
    });

    test("damaged streams: each is served or refused, none is a fault or stays", async () => {
      const random = seeded(25);
      const session = [
        echo(1),
        line({ kind: "sub", id: 1, filter: {} }),
        echo(2),
        line({ kind: "unsub", id: 1 }),
        echo(3),
      ];
      for (let round = 0; round < 60; round++) {
        const peer = await greeted();
        peer.send(damaged(session, random));
        peer.send(echo(99));
        await until(
          `round ${round} is over`,
          () => peer.closed() || peer.received().includes('"id":99') || !peer.received().endsWith("\n"),
        );
        if (peer.closed()) expect(peer.received()).toContain('"code":"EPROTO"');
        peer.close();
      }
      await expectCalm();
    });
  });
}

/** One damage of a stream of frames: cut, repeated, out of order, or with one byte changed. */
function damaged(session: readonly string[], random: ReturnType<typeof seeded>): Uint8Array {
  const parts = [...session];
  const at = random.int(parts.length);
  switch (random.int(4)) {
    case 0:
      parts[at] = parts[at]!.slice(random.int(parts[at]!.length));
      break;
    case 1:
      parts.splice(at, 0, parts[at]!);
      break;
    case 2:
      parts.reverse();
      break;
    default: {
      const bytes = Buffer.from(parts.join(""));
      bytes[random.int(bytes.length)] = random.int(256);
      return bytes;
    }
  }
  return Buffer.from(parts.join(""));
}

interface Frame {
  readonly kind?: string;
  readonly id?: number;
  readonly value?: unknown;
}

function frames(peer: Peer): Frame[] {
  const whole = peer.received().split("\n").slice(0, -1);
  return whole.map((text) => JSON.parse(text) as Frame);
}

function line(frame: object): string {
  return `${JSON.stringify(frame)}\n`;
}

function echo(id: number): string {
  return line({ kind: "req", id, name: "echo", args: { id } });
}

const MALFORMED: { readonly [what: string]: string | Uint8Array } = {
  "an empty line": "\n",
  "not JSON": "GET / HTTP/1.1\r\n\r\n",
  "half an object": '{"kind":"req"\n',
  null: "null\n",
  "an array": "[1]\n",
  "an unknown kind": line({ kind: "shout", id: 1 }),
  "a kind that is a number": line({ kind: 1 }),
  "a second hello": HELLO,
  "a call without a name": line({ kind: "req", id: 1, args: {} }),
  "a call with a long name": line({ kind: "req", id: 1, name: "x".repeat(101), args: {} }),
  "a call without arguments": line({ kind: "req", id: 1, name: "echo" }),
  "arguments that are an array": line({ kind: "req", id: 1, name: "echo", args: [] }),
  "a negative id": line({ kind: "req", id: -1, name: "echo", args: {} }),
  "half an id": line({ kind: "req", id: 1.5, name: "echo", args: {} }),
  "an id that is text": line({ kind: "req", id: "1", name: "echo", args: {} }),
  "an endless id": '{"kind":"req","id":1e999,"name":"echo","args":{}}\n',
  "a request id that is a number": line({ kind: "req", id: 1, name: "echo", args: {}, requestId: 1 }),
  "a filter that is null": line({ kind: "sub", id: 1, filter: null }),
  "a filter with wrong names": line({ kind: "sub", id: 1, filter: { names: [1] } }),
  "a subscription twice": line({ kind: "sub", id: 1, filter: {} }).repeat(2),
  "nesting of 201": `{"kind":"req","id":1,"name":"echo","args":${'{"a":'.repeat(200)}1${"}".repeat(200)}}\n`,
  "bytes that are no UTF-8": Buffer.concat([
    Buffer.from('{"kind":"cancel","id":1,"a":"'),
    Buffer.from([0xff, 0x22]),
    Buffer.from("}\n"),
  ]),
  "a byte-order mark": `\ufeff${echo(1)}`,
  "a NUL": `\0${echo(1)}`,
  "a frame of the kernel": line({ kind: "res", id: 1, value: 1 }),
};

const TOO_EARLY: { readonly [what: string]: string } = {
  "a call": echo(1),
  "a subscription": line({ kind: "sub", id: 1, filter: {} }),
  "a cancel": line({ kind: "cancel", id: 1 }),
  "a hello without a client": line({ kind: "hello", version: "1.0.0", cwd: "/", env: {} }),
  "a hello with a wrong environment": line({ kind: "hello", ...info(), env: [] }),
  "a call in the same write as hello": HELLO + echo(1),
};

const HARMLESS: { readonly [what: string]: string } = {
  "a cancel of no call": line({ kind: "cancel", id: 5 }).repeat(3),
  "an unsub of no subscription": line({ kind: "unsub", id: 5 }).repeat(3),
  "a subscription before and after its end":
    `${line({ kind: "sub", id: 1, filter: {} })}${line({ kind: "unsub", id: 1 })}`.repeat(2),
  "a carriage return before the newline": echo(4).replace("\n", "\r\n"),
  "unknown fields": line({ kind: "req", id: 4, name: "echo", args: {}, __proto__x: 1, constructor: {} }),
  "a prototype in the arguments": '{"kind":"req","id":4,"name":"echo","args":{"__proto__":{"polluted":true}}}\n',
};
