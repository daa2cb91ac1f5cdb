// The steps of a command before there is a kernel: reads the wanted kind, and starts it with a bounded log.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isInProcess } from "../../src/client/client.ts";
import { startKernel } from "../../src/client/start/start-kernel.ts";
import { homePaths } from "../../src/paths.ts";
import { type Env, withHome } from "../support/home.ts";
import { refusal } from "../support/refusal.ts";
import { scratchDirectory } from "../support/scratch.ts";

const MIB = 1024 * 1024;
let paths = homePaths("/");

beforeEach(() => {
  paths = homePaths(scratchDirectory("client"));
  mkdirSync(paths.logDir);
});
afterEach(() => rmSync(paths.home, { recursive: true, force: true }));

/** Starts a program that writes one line and ends, as an idle kernel would. */
const start = () => startKernel({ paths, command: ["sh", "-c", "echo a line"], env: { PATH: process.env.PATH } });

test("a log of more than 8 MiB is moved aside when a kernel starts, replacing the one moved before", async () => {
  const aside = `${paths.kernelLog}.1`;
  writeFileSync(paths.kernelLog, "first".padEnd(8 * MIB + 1));
  await start();
  expect([statSync(aside).size, readFileSync(paths.kernelLog, "utf8")]).toEqual([8 * MIB + 1, "a line\n"]);
  writeFileSync(paths.kernelLog, "second".padEnd(9 * MIB));
  await start();
  expect(readFileSync(aside, "utf8").trimEnd()).toBe("second");
  expect(readFileSync(paths.kernelLog, "utf8")).toBe("a line\n");
});

test("a shorter log, or none, is appended to", async () => {
  await start();
  await start();
  expect(readFileSync(paths.kernelLog, "utf8")).toBe("a line\na line\n");
  expect(existsSync(`${paths.kernelLog}.1`)).toBe(false);
});

test("GSV_KERNEL is in-process or empty, and any other value is refused with the valid one", () => {
  expect(isInProcess({ GSV_KERNEL: "in-process" })).toBe(true);
  for (const env of [{}, { GSV_KERNEL: "" }]) expect(isInProcess(env)).toBe(false);
  for (const told of ["inprocess", "In-Process", "1", "x".repeat(500)]) {
    const refused = refusal(() => isInProcess({ GSV_KERNEL: told }));
    expect([refused.code, refused.message.startsWith("unknown GSV_KERNEL value: ")]).toEqual(["ECONFIG", true]);
    expect(refused.message.length).toBeLessThan(100);
    expect(refused.hints.join()).toContain("in-process");
  }
});

test("a wrong GSV_KERNEL and a relative GSV_HOME end gsv with 78 and one line, before it creates anything; help still works", async () => {
  await withHome(async (home) => {
    const wrong: Env[] = [{ GSV_KERNEL: "inprocess" }, { GSV_HOME: "some/where" }];
    for (const env of wrong) {
      const ran = await home.gsv(["ps"], { env });
      expect([ran.status, ran.stdout]).toEqual([78, ""]);
      expect(ran.stderr).toMatch(
        /^gsv: (?:unknown GSV_KERNEL value: inprocess|GSV_HOME is not an absolute path: some\/where)\n {2}\S.*\n$/,
      );
      expect((await home.gsv(["help"], { env })).status).toBe(0);
    }
    expect([existsSync(home.directory), existsSync(home.beside("some"))]).toEqual([false, false]);
    const kernel = await home.gsv(["kernel", "run"], { env: { GSV_HOME: "some/where" } });
    expect([kernel.status, kernel.stderr.startsWith("gsv: GSV_HOME is not an absolute path")]).toEqual([78, true]);
  });
}, 30_000);

test("a kernel runs in the foreground until it is no longer needed, and other arguments are wrong usage", async () => {
  await withHome(async (home) => {
    const env = { GSV_KERNEL_GRACE_MS: "1" };
    const ran = await home.gsv(["kernel", "run", "--foreground"], { env });
    expect([ran.status, ran.stdout]).toEqual([0, ""]);
    expect(existsSync(home.directory)).toBe(true);
    expect((await home.gsv(["kernel", "run", "--loud"], { env })).status).toBe(2);
  });
}, 30_000);
