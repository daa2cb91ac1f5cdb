// Nothing of a server stays: neither children that left its group, nor servers of a kernel that was killed.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { homeMark, MARK } from "../../../src/links/mcp/mark.ts";
import { TestKernel } from "../../support/kernel.ts";

const SERVER = join(import.meta.dir, "../../support/mcp/server.ts");
const LEAVES = `const child = Bun.spawn(["/bin/sleep", "600"], { detached: true, stdio: ["ignore", "ignore", "ignore"] });
child.unref();
await Bun.write(process.argv[1], String(child.pid));
await import(process.argv[2]);`;

const runs = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

test.if(existsSync("/proc/self/environ"))("a child that left the group of its server ends with it", async () => {
  await using home = await TestKernel.boot();
  const file = join(home.directory, "child");
  const command = [process.execPath, "-e", LEAVES, file, SERVER];
  await home.sys.call("sys.mcp.add", { name: "notes", command, directory: "/" });
  const pid = Number(readFileSync(file, "utf8"));
  expect(runs(pid)).toBe(true);
  await home.sys.call("sys.mcp.remove", { name: "notes" });
  await home.until("the child has ended", () => !runs(pid));
});

test.if(existsSync("/proc/self/environ"))(
  "a server that a killed kernel left running ends when the next one starts",
  async () => {
    await using home = await TestKernel.boot();
    const env = (of: string) => ({ [MARK]: `${homeMark(of)}1` });
    const start = (of: string) => Bun.spawn(["/bin/sleep", "600"], { detached: true, env: env(of) });
    const [own, other] = [start(home.directory), start("/elsewhere")];
    await home.restart();
    await own.exited;
    expect(own.signalCode).toBe("SIGKILL");
    expect(runs(other.pid)).toBe(true);
    other.kill("SIGKILL");
  },
);
