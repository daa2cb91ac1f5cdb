import { expect, test } from "bun:test";
import fc from "fast-check";
import { MessageLines } from "../../../src/links/mcp/message-lines.ts";

function reading(limits = { lineBytesMax: 1000, noticesPerSecondMax: 3 }) {
  const messages: object[] = [];
  const tooLong: string[] = [];
  const endless: boolean[] = [];
  let now = 0;
  const lines = new MessageLines(
    limits,
    { mono: () => now },
    {
      message: (value) => messages.push(value),
      tooLong: (ends) => tooLong.push(ends),
      endless: () => endless.push(true),
    },
  );
  return {
    lines,
    messages,
    tooLong,
    endless,
    push: (text: string) => lines.push(Buffer.from(text)),
    later: () => (now += 1000),
  };
}

const answer = (id: number, text = "x") => ({ result: { text }, jsonrpc: "2.0", id });

test("messages arrive whole, however the bytes are cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.nat(40)), (texts, cuts) => {
      const it = reading();
      const sent = texts.map((text, id) => answer(id, text.slice(0, 100)));
      let rest = Buffer.from(sent.map((each) => `${JSON.stringify(each)}\n`).join(""));
      for (const cut of cuts) {
        it.lines.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      it.lines.push(rest);
      expect(it.messages).toEqual(sent);
    }),
  );
});

test("other lines are counted, and the first is kept", () => {
  const it = reading();
  it.push('Server v1 ready\n\n{"a":1}\nnull\n{"jsonrpc":"2.0","id":1,"result":{}}\n');
  expect(it.messages).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  expect(it.lines.counts).toEqual({ garbage: 3, firstGarbage: "Server v1 ready", tooLong: 0, noticesDropped: 0 });
});

test("a banner without a newline does not cost the first answer", () => {
  const it = reading();
  it.push(`\u001b[32mready > ${JSON.stringify({ jsonrpc: "2.0", id: 0, result: {} })}\n`);
  expect(it.messages).toEqual([{ jsonrpc: "2.0", id: 0, result: {} }]);
});

test("a line that is too long is thrown away while it arrives; the next one is read", () => {
  const it = reading();
  it.push('{"result":{"text":"');
  for (let times = 0; times < 50; times++) it.push("y".repeat(100));
  it.push('"},"jsonrpc":"2.0","id":"k7"}\n');
  it.push(`${JSON.stringify(answer(2))}\n`);
  expect(it.messages).toEqual([answer(2)]);
  expect(it.tooLong).toHaveLength(1);
  expect(it.tooLong[0]).toContain('"id":"k7"');
  expect(it.tooLong[0]!.length).toBeLessThan(1100);
});

test("a line that does not end is reported once", () => {
  const it = reading();
  const chunk = new Uint8Array(16 * 1024 * 1024).fill(120);
  for (let times = 0; times < 20; times++) it.lines.push(chunk);
  expect(it.endless).toEqual([true]);
});

test("a flood of notifications is dropped before it is parsed; answers pass", () => {
  const it = reading();
  const notice = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} })}\n`;
  it.push(notice.repeat(10));
  it.push(`${JSON.stringify(answer(1))}\n`);
  expect(it.messages).toHaveLength(4);
  expect(it.lines.counts.noticesDropped).toBe(7);
  it.later();
  it.push(notice);
  expect(it.messages).toHaveLength(5);
});
