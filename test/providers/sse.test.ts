// Events are the same for every split of the bytes and every kind of line end.

import { describe, expect, test } from "bun:test";
import { type Frame, FrameTooLong, LineFramer, SseFramer } from "../../src/providers/sse.ts";

const BODY = [
  "\ufeff: a comment",
  "event: first",
  'data: {"a":"é🙂"}',
  "",
  "data:no space",
  "data:  two spaces",
  "data",
  "",
  "event: nothing to say",
  "",
  "id: 7",
  "retry: 10",
  "database: another field",
  "data: last",
  "",
  "data: never ended",
];

const EXPECTED: readonly Frame[] = [
  { event: "first", data: '{"a":"é🙂"}' },
  { event: "", data: "no space\n two spaces\n" },
  { event: "", data: "last" },
];

function framesOf(bytes: Uint8Array, size: number): Frame[] {
  const framer = new SseFramer();
  const frames: Frame[] = [];
  for (let from = 0; from < bytes.length; from += size) frames.push(...framer.push(bytes.subarray(from, from + size)));
  return frames;
}

describe.each([
  ["\\n", "\n"],
  ["\\r\\n", "\r\n"],
  ["\\r", "\r"],
])("lines that end with %s", (_name, end) => {
  const bytes = Buffer.from(BODY.join(end));

  test.each([1, 2, 3, 5, 7, 64, bytes.length])("in pieces of %d bytes", (size) => {
    expect(framesOf(bytes, size)).toEqual([...EXPECTED]);
  });

  test("cut in two at every byte", () => {
    for (let at = 0; at <= bytes.length; at++) {
      const framer = new SseFramer();
      const frames = [...framer.push(bytes.subarray(0, at)), ...framer.push(bytes.subarray(at))];
      expect(frames).toEqual([...EXPECTED]);
    }
  });
});

test("one body may mix all kinds of line ends", () => {
  expect(framesOf(Buffer.from("data: a\r\n\ndata: b\r\rdata: c\n\r\ndata: d\n\n"), 1)).toEqual(
    ["a", "b", "c", "d"].map((data) => ({ event: "", data })),
  );
});

test.each([
  ["one line", "data: ", "x"],
  ["many lines", "", "data: xxxx\n"],
  ["a line without a name", "", "x"],
])("an endless event is refused: %s", (_name, start, more) => {
  const framer = new SseFramer(1000);
  framer.push(Buffer.from(start));
  expect(() => {
    for (let sent = 0; sent < 4000; sent += more.length) framer.push(Buffer.from(more));
  }).toThrow(FrameTooLong);
});

test("many events together may exceed the limit of one", () => {
  const framer = new SseFramer(100);
  for (let sent = 0; sent < 100; sent++)
    expect(framer.push(Buffer.from("data: twenty characters\n\n"))).toHaveLength(1);
});

test("JSON lines are the same at every cut, and an endless one is refused", () => {
  const bytes = Buffer.from('{"a":"é🙂"}\r\n\n{"b":1}\n{"never ended":');
  for (let at = 0; at <= bytes.length; at++) {
    const framer = new LineFramer();
    const frames = [...framer.push(bytes.subarray(0, at)), ...framer.push(bytes.subarray(at))];
    expect(frames.map(({ data }) => data)).toEqual(['{"a":"é🙂"}', '{"b":1}']);
  }
  expect(() => new LineFramer(10).push(Buffer.from("x".repeat(11)))).toThrow(FrameTooLong);
});
