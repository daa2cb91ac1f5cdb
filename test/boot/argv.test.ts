// Arguments that are not valid text are refused; all text is accepted, the replacement character included.

import { expect, test } from "bun:test";
import { garbled } from "../../src/machine/argv.ts";
import { withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

const raw = (...words: (string | number[])[]) =>
  Buffer.concat(words.flatMap((word) => [Buffer.from(word as string), Buffer.from([0])]));

test("invalid UTF-8 is refused with the name of its argument, shown safely", () => {
  expect(
    garbled(["send", "caf\ufffd\u001b[31m"], raw("gsv", "send", [...Buffer.from("caf"), 0xe9, 0x1b, 0x5b, 0x33])),
  ).toBe("gsv: an argument is not UTF-8 text: caf\ufffd␛[31m");
  expect(garbled(["\ufffd"], raw("gsv", [0xed, 0xa0, 0x80]))).toContain("not UTF-8");
});

test("the replacement character itself is text, and arguments that the system hides are accepted", () => {
  expect(garbled(["send", "a \ufffd"], raw("bun", [0xff], "send", "a \ufffd"))).toBe(null);
  expect(garbled(["\ufffd"], null)).toBe(null);
});

test.skipIf(process.platform !== "linux")(
  "gsv send of a Latin-1 word exits 2 with one line, and creates nothing",
  async () => {
    await withHome(async (home) => {
      const child = Bun.spawn(["sh", "-c", `exec "$@" "$(printf 'caf\\351')"`, "sh", ...gsvCommand(), "send"], {
        env: { HOME: home.beside("."), USER: "sam", PATH: process.env.PATH ?? "", GSV_HOME: home.directory },
        stderr: "pipe",
      });
      const [stderr, status] = await Promise.all([child.stderr.text(), child.exited]);
      expect([status, stderr]).toEqual([2, "gsv: an argument is not UTF-8 text: caf\ufffd\n"]);
      expect(await Bun.file(home.paths.kernelDb).exists()).toBe(false);
    });
  },
);
