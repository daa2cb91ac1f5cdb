// A model server on loopback, as a program of its own: one token per write, at a fixed rate or as fast as they go out. The last message says
// what it answers: `stream SHAPE TOKENS RATE`, where RATE is tokens per second, 0 for no limit. A tool turn ends with a word.

import type { Socket } from "bun";
import { type Shape, tokensOf } from "./shapes.ts";

type Peer = Socket<{ open: string }>;

const TICK_MS = 1;

const server = Bun.listen<{ open: string }>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open: (socket) => {
      socket.data = { open: "" };
      socket.setNoDelay(true);
    },
    data: (socket, bytes) => {
      socket.data.open += bytes.toString();
      const [head, body] = socket.data.open.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head ?? "")?.[1] ?? 0);
      if (body === undefined || Buffer.byteLength(body) < length) return;
      socket.data.open = "";
      void answer(socket, body);
    },
    error() {},
  },
});
process.stdout.write(`${server.port}\n`);

function chunk(delta: object, finish: string | null = null): Buffer {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const line = `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m", choices })}\n\n`;
  return Buffer.from(`${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`);
}

async function answer(socket: Peer, body: string): Promise<void> {
  const { messages } = JSON.parse(body) as { messages: readonly { role: string; content: unknown }[] };
  const last = JSON.stringify(messages.at(-1));
  const [, shape = "", tokens = "0", rate = "0"] = /stream ([a-z]+) (\d+) (\d+)/.exec(last) ?? [];
  await write(
    socket,
    Buffer.from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"),
  );
  await write(socket, chunk({ role: "assistant", content: "" }));
  if (shape === "tool" && messages.at(-1)?.role === "user") {
    const args = JSON.stringify({ command: `seq 1 ${tokens}`, target: "gsv" });
    const call = {
      index: 0,
      id: `call_${messages.length}`,
      type: "function",
      function: { name: "Shell", arguments: args },
    };
    await write(socket, chunk({ tool_calls: [call] }));
    await write(socket, chunk({}, "tool_calls"));
  } else {
    const pieces = shape === "" || shape === "tool" ? ["END."] : tokensOf(shape as Shape, Number(tokens));
    await paced(socket, pieces, Number(rate));
    await write(socket, chunk({}, "stop"));
  }
  await write(socket, Buffer.from("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"));
}

async function paced(socket: Peer, pieces: readonly string[], rate: number): Promise<void> {
  const from = performance.now();
  let sent = 0;
  while (sent < pieces.length) {
    const due =
      rate === 0 ? pieces.length : Math.min(pieces.length, Math.ceil(((performance.now() - from) / 1000) * rate));
    for (; sent < due; sent++) await write(socket, chunk({ content: pieces[sent] }));
    if (sent < pieces.length) await Bun.sleep(TICK_MS);
  }
}

/** All of it, and sent before the next piece. */
async function write(socket: Peer, bytes: Buffer): Promise<void> {
  for (let left = bytes; left.length > 0; ) {
    const written = socket.write(left);
    if (written < 0) return;
    left = left.subarray(written);
    socket.flush();
    if (left.length > 0) await Bun.sleep(TICK_MS);
  }
}
