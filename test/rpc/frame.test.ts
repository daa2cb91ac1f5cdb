import { describe, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { checkClientFrame, checkServerFrame, encodeFrame, FrameDecoder } from "../../src/rpc/frame.ts";
import { seeded } from "../support/random.ts";

function decode(chunks: Iterable<Uint8Array>): object[] {
  const frames: object[] = [];
  const decoder = new FrameDecoder((frame) => frames.push(frame));
  for (const chunk of chunks) decoder.push(chunk);
  return frames;
}

function codeOf(body: () => unknown): string {
  try {
    body();
    return "fine";
  } catch (error) {
    return error instanceof SysError ? error.code : String(error);
  }
}

const bytes = (text: string) => Buffer.from(text);
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const frames = [
  { kind: "req", id: 1, name: "proc.send", args: { message: 'naïve ❄️ 𝕏 \n { [ " \\' } },
  { kind: "cancel", id: 1 },
  { kind: "unsub", id: 7 },
] as const;

describe("a stream of frames", () => {
  const stream = bytes(frames.map((frame) => encodeFrame(frame, "a test")).join(""));

  test("reads the same wherever it is cut in two, also inside a character", () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      expect(decode([stream.subarray(0, cut), stream.subarray(cut)])).toEqual([...frames]);
    }
  });

  test("reads the same byte by byte, and in random pieces with reused memory", () => {
    expect(decode([...stream].map((byte) => Uint8Array.of(byte)))).toEqual([...frames]);
    const random = seeded(42);
    const memory = new Uint8Array(64);
    const got: object[] = [];
    const decoder = new FrameDecoder((frame) => got.push(frame));
    for (let at = 0; at < stream.length; ) {
      const size = Math.min(1 + random.int(memory.length), stream.length - at);
      memory.set(stream.subarray(at, at + size));
      decoder.push(memory.subarray(0, size));
      at += size;
    }
    expect(got).toEqual([...frames]);
  });

  test("returns the frames before a fault, then refuses", () => {
    const got: object[] = [];
    const decoder = new FrameDecoder((frame) => got.push(frame));
    expect(codeOf(() => decoder.push(bytes('{"kind":"cancel","id":1}\nnonsense\n')))).toBe("EPROTO");
    expect(got).toEqual([{ kind: "cancel", id: 1 }]);
  });
});

describe("an invalid frame is EPROTO", () => {
  const bad: [string, Uint8Array][] = [
    ["an empty line", bytes("\n")],
    ["half an object", bytes('{"kind"\n')],
    ["a number", bytes("1\n")],
    ["null", bytes("null\n")],
    ["a list", bytes("[]\n")],
    ["two objects on a line", bytes("{}{}\n")],
    ["bytes that are not UTF-8", Buffer.concat([bytes('{"a":"'), Uint8Array.of(0xff), bytes('"}\n')])],
    ["a line cut inside a character", Uint8Array.of(0x22, 0xe2, 0x9d, 10)],
    ["a byte order mark", bytes('\uFEFF{"kind":"cancel","id":1}\n')],
    ["nesting of 201", bytes(`{"a":${nested(LIMITS.jsonDepthMax)}}\n`)],
    ["nesting of 100,000", bytes(`${nested(100_000)}\n`)],
    ["a line that never ends", Buffer.alloc(LIMITS.frameBytesMax + 1, 0x61)],
  ];
  for (const [what, input] of bad) {
    test(what, () => expect(codeOf(() => decode([input]))).toBe("EPROTO"));
  }

  test("but brackets in text, and nesting of 200, are fine", () => {
    const inText = `{"a":"${"[".repeat(5000)}\\"${"{".repeat(5000)}"}`;
    expect(decode([bytes(`${inText}\n{"a":${nested(LIMITS.jsonDepthMax - 1)}}\n`)])).toHaveLength(2);
  });

  test("a line without an end is refused before it fills memory, in small pieces too", () => {
    const decoder = new FrameDecoder(() => {});
    let pushed = 0;
    const code = codeOf(() => {
      for (;;) {
        decoder.push(Buffer.alloc(1000, 0x61));
        pushed += 1000;
      }
    });
    expect(code).toBe("EPROTO");
    expect(pushed).toBeLessThanOrEqual(LIMITS.frameBytesMax);
  });
});

describe("a frame that is written", () => {
  test("fits into 1 MiB, counted in bytes, or is EFBIG with the oversized part", () => {
    const filled = (text: string) => encodeFrame({ kind: "res", id: 1, value: text }, "the answer of fs.read");
    expect(codeOf(() => filled("x".repeat(LIMITS.frameBytesMax - 100)))).toBe("fine");
    expect(codeOf(() => filled("x".repeat(LIMITS.frameBytesMax)))).toBe("EFBIG");
    expect(codeOf(() => filled("❄".repeat(LIMITS.frameBytesMax / 2)))).toBe("EFBIG");
    expect(() => filled("x".repeat(LIMITS.frameBytesMax))).toThrow(
      "the answer of fs.read: too long: 1.0 MiB; the limit is 1.0 MiB",
    );
  });

  test("is plain JSON of at most 200 levels, or EINVAL", () => {
    const circular: { self?: object } = {};
    circular.self = circular;
    const deep = JSON.parse(nested(250));
    const deepest = JSON.parse(nested(100_000));
    for (const args of [circular, { deep }, { deepest }, { big: 1n }]) {
      expect(codeOf(() => encodeFrame({ kind: "req", id: 1, name: "x", args }, "x"))).toBe("EINVAL");
    }
  });
});

describe("checking frames", () => {
  test("refuses nonsense of clients, and keeps no unknown fields", () => {
    const hello = { kind: "hello", clientId: "c", version: "1.0.0", cwd: "/", env: {} };
    const bad: object[] = [
      { kind: "reboot" },
      { kind: "__proto__" },
      { ...hello, clientId: "" },
      { ...hello, clientId: 5 },
      { ...hello, cwd: undefined },
      { ...hello, cwd: "x".repeat(5000) },
      { ...hello, env: [] },
      { kind: "req", id: -1, name: "x", args: {} },
      { kind: "req", id: 1.5, name: "x", args: {} },
      { kind: "req", id: 1, name: "x", args: [] },
      { kind: "req", id: 1, name: "x", args: {}, requestId: 5 },
      { kind: "req", id: 1, args: {} },
      { kind: "sub", id: 1 },
      { kind: "sub", id: 1, filter: { names: "chat.*" } },
      { kind: "cancel" },
    ];
    for (const frame of bad)
      expect(`${JSON.stringify(frame)} ${codeOf(() => checkClientFrame({ ...frame }))}`).toEndWith("EPROTO");
    // Credentials stay credentials, whatever is in them: a client that sends some never gets in without.
    for (const login of [{}, { deviceToken: "x" }, { user: 5, password: null }])
      expect(checkClientFrame({ ...hello, login })).toMatchObject({ login: {} });
    expect(() => checkClientFrame({ ...hello, login: "root" })).toThrow("credentials");
    expect(checkClientFrame({ ...hello, flags: { "ai.model": "offline", x: 1 } })).toMatchObject({
      flags: { "ai.model": "offline" },
    });
    expect(() => checkClientFrame({ ...hello, flags: "all" })).toThrow("settings");
    expect(checkClientFrame({ ...hello, env: { A: "1", B: 2 }, extra: true })).toEqual({
      ...{ ...hello, protocol: { oldest: 1, newest: 1 } },
      env: { A: "1" },
    } as never);
    for (const protocol of [3, null, { oldest: 2, newest: 1 }, { oldest: 0, newest: 1 }, { oldest: 1.5, newest: 2 }])
      expect(checkClientFrame({ ...hello, protocol })).toMatchObject({ protocol: { oldest: 1, newest: 1 } });
    expect(checkClientFrame({ ...hello, protocol: { oldest: 2, newest: 3 } })).toMatchObject({
      protocol: { oldest: 2, newest: 3 },
    });
  });

  test("accepts known frames of a kernel and skips the kinds of a newer one", () => {
    expect(checkServerFrame({ kind: "fireworks" })).toBeNull();
    expect(checkServerFrame({ kind: "bye", why: "holiday" })).toEqual({ kind: "bye", why: "restart" });
    expect(checkServerFrame({ kind: "res", id: 1 })).toEqual({ kind: "res", id: 1, value: null });
    expect(checkServerFrame({ kind: "refused", error: { code: "EFUTURE", message: "no" } })).toEqual({
      kind: "refused",
      error: { code: "EIO", message: "no", hints: [] },
    });
  });
});
