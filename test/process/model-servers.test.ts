// Addresses without a usable model server, over real sockets: each failure is one line that names its cause, nothing is retried, and the run
// waits for another address.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { brotliCompressSync, deflateSync } from "node:zlib";
import { INIT, TestKernel } from "../support/kernel.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

const CHAT = WIRES["openai chat completions"]!;
const DONE = CHAT.body({ text: ["at last"] });
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
const TLS = {
  cert: await Bun.file(join(import.meta.dir, "../golden/tls/localhost.crt")).text(),
  key: await Bun.file(join(import.meta.dir, "../golden/tls/localhost.key")).text(),
};

interface Served {
  readonly url: string;
  readonly stop: () => void;
}

/** Sends bytes to every client: when it connects, or after its request. */
function socketOf(bytes: Uint8Array | string, when: "open" | "data" = "data"): Served {
  const send = (socket: Bun.Socket) => {
    socket.write(bytes);
    socket.end();
  };
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: when === "data" ? send : () => {}, ...(when === "open" ? { open: send } : {}), error: () => {} },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

function encoded(encoding: string, bytes: Uint8Array): Served {
  const head = `${HEAD}content-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  return socketOf(Buffer.concat([Buffer.from(head), bytes]));
}

function webServer(tls: boolean): Served {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls ? { tls: TLS } : {}),
    fetch: () => new Response(),
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}

const overTls = ({ url, stop }: Served): Served => ({ url: url.replace("http:", "https:"), stop });

function damaged(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, at) => (at > 20 ? byte ^ 0x5a : byte));
}

const CASES: readonly (readonly [what: string, served: () => Served, says: string])[] = [
  ["gzip that is none", () => encoded("gzip", Buffer.from("hello")), "cannot be used: its gzip answer is damaged"],
  [
    "gzip that is damaged",
    () => encoded("gzip", damaged(Bun.gzipSync(Buffer.from(DONE)))),
    "cannot be used: its gzip answer is damaged",
  ],
  [
    "a compression nobody knows",
    () => encoded("snappy", Buffer.from("hello")),
    "cannot be used: its answer has an unknown compression, snappy",
  ],
  ["a mail server", () => socketOf("220 mail.example ESMTP\r\n", "open"), "does not speak HTTP"],
  ["a server that answers without HTTP", () => socketOf("-ERR unknown command\r\n"), "does not speak HTTP"],
  ["TLS to a server without it", () => overTls(webServer(false)), "speaks plain HTTP: its address begins with http://"],
  ["TLS to a mail server", () => overTls(socketOf("220 mail.example ESMTP\r\n", "open")), "does not speak TLS"],
  ["plain HTTP to a TLS server", () => webServer(true), "speaks TLS: its address begins with https://"],
];

for (const [what, served, says] of CASES) {
  test(`${what}: one line, exit 4, asked once`, async () => {
    const { url, stop } = served();
    try {
      await using home = await TestKernel.boot({ realProviders: true, realTime: true, env: envOf(url) });
      await home.send("hello");
      const { waitsFor } = await home.inState(INIT, "paused");
      const reason = waitsFor?.kind === "credential" ? waitsFor.reason : JSON.stringify(waitsFor);
      expect(reason).toMatch(new RegExp(`^openai(?: at 127\\.0\\.0\\.1:\\d+)? ${says}\\. Another address: `));
      expect(reason).toEndWith("gsv config set baseUrls.openai URL");
      expect(reason).not.toMatch(/\n|Error|E[A-Z]{4,}|Malformed|inflate/);
      expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 4 });
      expect(home.heard("chat.restart").map(({ putAside }) => putAside)).toEqual([true]);
    } finally {
      stop();
    }
  });
}

test("pings without an answer: one line and exit 4 after the time limit for silence", async () => {
  const server = pinging("");
  try {
    await using home = await TestKernel.boot({ realProviders: true, realTime: true, env: envOf(server.url) });
    await home.sys.call("config.set", { key: "timeouts.llmMs", value: "1000" });
    await home.send("hello");
    const { waitsFor } = await home.inState(INIT, "paused");
    expect(waitsFor).toMatchObject({
      kind: "credential",
      missing: "address",
      reason: "openai sends pings, but no answer. Another address: gsv config set baseUrls.openai URL",
    });
    expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 4 });
  } finally {
    server.stop();
  }
});

test("another address continues the run", async () => {
  const { url, stop } = socketOf("220 mail.example ESMTP\r\n", "open");
  using right = new WireServer(() => ({ type: CHAT.type, body: DONE }));
  try {
    await using home = await TestKernel.boot({ realProviders: true, realTime: true });
    await home.sys.call("config.set", { key: "apiKeys.openai", value: KEY });
    await home.sys.call("config.set", { key: "baseUrls.openai", value: url });
    const { runId } = await home.send("hello", { model: "openai/some-model" });
    await home.inState(INIT, "paused");
    // A key is not what it waits for.
    await home.sys.call("config.set", { key: "apiKeys.openai", value: `${KEY}-another` });
    expect((await home.get(INIT)).state).toBe("paused");
    await home.sys.call("config.set", { key: "baseUrls.openai", value: `${right.url}/v1` });
    expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
  } finally {
    stop();
  }
});

test("a compressed answer is read as it comes, whatever the compression", async () => {
  for (const [encoding, compress] of [
    ["gzip", Bun.gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", Bun.zstdCompressSync],
  ] as const) {
    const { url, stop } = encoded(encoding, compress(Buffer.from(DONE)));
    try {
      await using home = await TestKernel.boot({ realProviders: true, realTime: true, env: envOf(url) });
      await home.say("hello");
      expect((await home.outline(INIT)).at(-1)).toBe("assistant: at last");
    } finally {
      stop();
    }
  }
});

function envOf(url: string) {
  return { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, GSV_MODEL: "openai/some-model" };
}

/** Sends comments without an end. */
function pinging(before: string): Served {
  const timers = new Set<Timer>();
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket) => {
        socket.write(`${HEAD}\r\n${before}`);
        timers.add(setInterval(() => socket.write(": ping\n\n"), 50));
      },
      error: () => {},
    },
  });
  const stop = () => {
    for (const timer of timers) clearInterval(timer);
    server.stop(true);
  };
  return { url: `http://127.0.0.1:${server.port}`, stop };
}
