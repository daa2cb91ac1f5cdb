// `gsv logs --kernel`: entries of the kernel's log, since a time, and following it.

import { expect, test } from "bun:test";
import { entriesIn, newPart } from "../../commands/system/log-entries.ts";
import { FakeIo, runs } from "../support/io.ts";

const LOG =
  "2026-11-22T10:00:00.000Z first\n2026-11-22T11:00:00.000Z Error: second\n    at somewhere\n2026-11-22T12:00:00.000Z third\n";

function logged(text: () => string): FakeIo {
  const io = new FakeIo();
  io.fakeSys.answer("config.get", () => ({ value: "UTC" }));
  io.fakeSys.answer("fs.get", (({ offset }: { offset: number }) => ({
    ...{ data: Buffer.from(text()).subarray(offset).toString("base64"), eof: true, version: "1" },
  })) as never);
  return io;
}

test("an entry is an instant and all lines up to the next", () => {
  expect(entriesIn(`left over\n${LOG}`).map(({ text }) => text)).toEqual([
    ...["left over", "first", "Error: second\n    at somewhere", "third"],
  ]);
});

test("new entries follow the old ones, also after the beginning was cut off", () => {
  expect(newPart(LOG, `${LOG}more\n`)).toBe("more\n");
  expect(newPart(LOG, `${LOG.slice(40)}more\n`)).toBe(`${LOG.slice(40)}more\n`);
  const long = "a line\n".repeat(200);
  expect(newPart(`begin\n${long}end\n`, `${long}end\nmore\n`)).toBe("more\n");
});

test("prints the newest entries, those since a time, and objects", async () => {
  const io = logged(() => LOG);
  expect(await runs(io, "logs", "--kernel", "-n", "1")).toBe(0);
  expect(io.stdout.text).toBe("[2026-11-22T12:00:00.000Z] third\n");
  io.stdout.text = "";
  expect(await runs(io, "logs", "--kernel", "--since", "2026-11-22T11:00:00Z", "--json")).toBe(0);
  expect(io.stdout.lines.map((line) => JSON.parse(line).text)).toEqual(["Error: second\n    at somewhere", "third"]);
});

test("a pid is a usage error: --kernel and a process cannot be combined", async () => {
  expect(
    await runs(
      logged(() => LOG),
      "logs",
      "--kernel",
      "init:1000",
    ),
  ).toBe(2);
});
