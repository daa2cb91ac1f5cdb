// The lines of `gsv mcp serve`: what is no message is skipped, and the end of the input waits for answers, but not without end.

import { expect, test } from "bun:test";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { LineTransport } from "../../../commands/links/mcp-server/stdio.ts";
import type { SysError } from "../../../src/abi/errno.ts";
import { FakeClock } from "../../support/clock.ts";
import { FakeOutput } from "../../support/io.ts";

async function opened(chunks: readonly string[]) {
  const clock = new FakeClock();
  const stdout = new FakeOutput();
  const bytes = async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  };
  const transport = new LineTransport({ stdin: { isTTY: false, kind: "pipe", bytes }, stdout, clock });
  const messages: JSONRPCMessage[] = [];
  const errors: string[] = [];
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = ({ message }) => void errors.push(message);
  await transport.start();
  let isOver = false;
  const ended = transport.ended.then(
    () => {
      isOver = true;
    },
    (error: SysError) => error,
  );
  await clock.advance(0);
  return { transport, clock, stdout, messages, errors, ended, isOver: () => isOver };
}

const request = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`;

test("messages come whole however the input is cut; blank lines and what is no message are skipped", async () => {
  const whole = `${request(1)}\n  \nhello\n{"id":2}\n[1]\n{"jsonrpc":"1.0"}\n${request(3)}`;
  for (const cut of [1, 7, whole.length]) {
    const chunks = whole.match(new RegExp(`[^]{1,${cut}}`, "g")) ?? [];
    const it = await opened(chunks);
    expect(it.messages).toMatchObject([{ id: 1 }, { id: 3 }]);
    expect(it.errors.length).toBe(4);
  }
});

test("after the end of the input, answers are waited for, for 2 s; cancelled requests and streams are not", async () => {
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
  const listen = { jsonrpc: "2.0", id: 4, method: "subscriptions/listen" };
  const input = [request(1), request(2), cancelled, listen].map((each) =>
    typeof each === "string" ? each : `${JSON.stringify(each)}\n`,
  );
  const it = await opened(input);
  expect(it.isOver()).toBe(false);
  await it.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await it.ended;
  expect([it.isOver(), it.stdout.text]).toEqual([true, '{"jsonrpc":"2.0","id":1,"result":{}}\n']);
  const silent = await opened([request(1)]);
  await silent.clock.advance(1999);
  expect(silent.isOver()).toBe(false);
  await silent.clock.advance(1);
  await silent.ended;
  expect(silent.isOver()).toBe(true);
});

test("a line without end is refused, and is never in memory as a whole", async () => {
  const it = await opened(Array.from({ length: 5 }, () => "x".repeat(1024 * 1024)));
  expect(await it.ended).toMatchObject({ code: "EFBIG" });
  expect(it.messages).toEqual([]);
});
