// Files removed under a kernel, and kernels that cannot start: later clients are served or get an error at once, and no
// acknowledged write is lost.

import { expect, test } from "bun:test";
import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "../../src/abi/errno.ts";
import { until, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { HomeBook } from "../support/sound.ts";

test.concurrent("when the socket is removed the same kernel is reached again, also by a new client", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "hello"])).status).toBe(0);
    const pid = home.holder;
    rmSync(home.paths.socket);
    expect((await home.gsv(["send", "again"])).status).toBe(0);
    expect([home.holder, (await home.gsv(["kernel", "stop"])).stdout]).toEqual([pid, `kernel ${pid} stopped\n`]);
  });
}, 30_000);

test.concurrent("when kernel.db is removed it is restored with all later acknowledged writes, and the next kernel continues", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "one"])).status).toBe(0);
    const sys = home.sys();
    await sys.call("system.status", {});
    rmSync(home.paths.kernelDb);
    // Over an existing connection, so that no one looks at the file before this is acknowledged.
    const { pid } = await sys.call<{ pid: string }>("proc.spawn", { label: "kept", prompt: "hello" });
    expect((await home.gsv(["wait", pid])).status).toBe(0);
    expect((await home.ps()).map((info) => info.label)).toContain("kept");
    await home.stop();
    expect(new HomeBook(home).faults).toEqual([]);
    expect(readdirSync(home.paths.quarantineDir)).toEqual([]);
  });
}, 30_000);

test.concurrent("a kernel.db in place of the real one is left alone, and the kernel's data is kept", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "one"])).status).toBe(0);
    const other = home.beside("other");
    writeFileSync(other, "not a database");
    rmSync(home.paths.kernelDb);
    copyFileSync(other, home.paths.kernelDb);
    await until("the kernel has gone", () => home.processes.length === 0);
    expect(await Bun.file(home.paths.kernelDb).text()).toBe("not a database");
    const [kept = ""] = readdirSync(home.paths.quarantineDir);
    copyFileSync(join(home.paths.quarantineDir, kept), home.paths.kernelDb);
    expect((await home.gsv(["send", "two"])).status).toBe(0);
    expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
    expect((await home.gsv(["proc", "history"])).stdout).toMatch(/one.*two/s);
  });
}, 30_000);

test.concurrent("a kernel that finds kernel.db damaged ends its starter at once: the same line, hint and status, once", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "hello"])).status).toBe(0);
    await home.stop();
    writeFileSync(home.paths.kernelDb, "no database at all ".repeat(1000));
    const told = `gsv: the database ${home.paths.kernelDb} is damaged: file is not a database\n  for repair options: gsv doctor\n`;
    for (const args of [["send", "x"], ["chat", "x"], ["kernel", "start"], ["ps"]]) {
      const { status, stdout, stderr } = await home.gsv(args);
      expect([args, status, stdout, stderr]).toEqual([args, 1, "", told]);
    }
    const json = await home.gsv(["send", "x", "--json"]);
    expect(JSON.parse(json.stderr)).toMatchObject({ code: "EIO", exit: 1 });
  });
}, 30_000);

test.concurrent.skipIf(process.platform !== "linux")(
  "a kernel with few descriptors refuses excess load, stays quiet, and serves again when some are free",
  async () => {
    await withHome(async (home) => {
      const env = { HOME: home.beside("."), USER: "sam", PATH: process.env.PATH ?? "", GSV_HOME: home.directory };
      const start = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", ...gsvCommand(), "kernel", "start"];
      expect(await Bun.spawn(start, { env, stdout: "ignore", stderr: "ignore" }).exited).toBe(0);
      // Some are disconnected before they noticed that they were connected.
      const socket = { data() {}, error() {} };
      const tries = Array.from({ length: 100 }, () =>
        Bun.connect({ unix: home.paths.socket, socket }).catch(() => null),
      );
      const sockets = await Promise.all(tries);
      const refused = await home.gsv(["send", "one too many"]);
      expect([refused.status, refused.stderr]).toEqual([75, expect.stringContaining("clients, the maximum")]);
      for (const each of sockets) each?.terminate();
      const sys = home.sys();
      await until("there is room again", () => sys.call("system.status", {}).then(() => true, notFull));
      expect((await home.gsv(["send", "and now"])).status).toBe(0);
    });
  },
  30_000,
);

function notFull(error: unknown): boolean {
  if (error instanceof SysError && error.code === "EAGAIN") return false;
  throw error;
}
