// The setting kernel.memory: one limit for all caches of a kernel, in force while it runs.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { TestKernel } from "../support/kernel.ts";

const FILES = 50;
const CONTENT = "x".repeat(200 * 1024);

/** Databases of processes that this program has open. */
function openDatabases({ paths }: TestKernel): number {
  const links = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return "";
    }
  });
  return new Set(links.filter((path) => path.startsWith(paths.procDir) && path.endsWith(".db"))).size;
}

test.skipIf(process.platform !== "linux")(
  "a lower limit closes databases and moves files of /tmp out of memory at once, and nothing is lost",
  async () => {
    await using home = await TestKernel.boot();
    for (let at = 0; at < 12; at++) {
      const pid = await home.task();
      home.model.will(pid, { text: "done" });
      await home.say("go", { pid });
    }
    for (let at = 0; at < FILES; at++) await home.sys.call("fs.write", { path: `/tmp/${at}.txt`, content: CONTENT });
    const open = openDatabases(home);
    expect(open).toBeGreaterThan(8);
    expect(existsSync(home.paths.temporaryDir)).toBe(false);
    await home.person(0).call("config.set", { key: "kernel.memory", value: "8", system: true });
    expect(openDatabases(home)).toBeLessThan(open);
    expect(readdirSync(home.paths.temporaryDir).length).toBeGreaterThan(10);
    for (let at = 0; at < FILES; at++) {
      const { data } = await home.sys.call<{ data: string }>("fs.get", { path: `/tmp/${at}.txt` });
      expect(Buffer.from(data, "base64").toString()).toBe(CONTENT);
    }
  },
);

test("a limit below 8 MiB, and one of an account, are refused", async () => {
  await using home = await TestKernel.boot();
  const set = (value: string, system: boolean) =>
    home.person(system ? 0 : 1000).call("config.set", { key: "kernel.memory", value, system });
  await expect(set("7", true)).rejects.toThrow("8");
  await expect(set("lots", true)).rejects.toThrow("kernel.memory");
  await expect(set("50", false)).rejects.toThrow();
});
