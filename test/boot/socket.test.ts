// The path of a home's socket, and its own private directory, if there is one, that comes and goes with the kernel.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SysError } from "../../src/abi/errno.ts";
import { type SocketSearch, socketPlace } from "../../src/client/socket.ts";
import { type HomePaths, homePaths, prepareHome } from "../../src/paths.ts";
import { until, withHome } from "../support/home.ts";
import { refusal } from "../support/refusal.ts";

const uid = process.getuid?.() ?? 0;
let base = "";

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "gsv-socket-"));
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const long = () => homePaths(join(base, "x".repeat(120)));
const placeOf = (paths: HomePaths, search: Partial<SocketSearch> = {}) => socketPlace(paths, { uid, ...search });
const pathOf = (paths: HomePaths, search: Partial<SocketSearch> = {}) => placeOf(paths, search).path;

describe("the socket path", () => {
  test("is in the home, as long as the name it is bound under fits into 107 bytes", () => {
    for (let length = 60; length < 110; length++) {
      const paths = homePaths(`/${"h".repeat(length)}`);
      const socket = pathOf(paths);
      expect(Buffer.byteLength(`${socket}.new`)).toBeLessThanOrEqual(107);
      if (Buffer.byteLength(`${paths.socket}.new`) <= 107) expect(socket).toBe(paths.socket);
    }
    const wide = homePaths(`/${"❄".repeat(40)}`);
    expect(pathOf(wide)).not.toBe(wide.socket);
  });

  test("of a long home is in the user's runtime directory if that is private, else in one in /tmp; neither is created", () => {
    const runtimeDir = mkdtempSync(join(base, "r-"));
    const inRuntime = pathOf(long(), { runtimeDir });
    expect(inRuntime).toMatch(new RegExp(`^${runtimeDir}/gsv-[0-9a-f]{16}/kernel.sock$`));
    chmodSync(runtimeDir, 0o755);
    const inTmp = pathOf(long(), { runtimeDir });
    expect(inTmp).toMatch(new RegExp(`^/tmp/gsv-${uid}-[0-9a-f]{16}/kernel.sock$`));
    expect(pathOf(long(), { runtimeDir: "relative" })).toBe(inTmp);
    expect(pathOf(homePaths(`${long().home}2`))).not.toBe(inTmp);
    expect([existsSync(dirname(inRuntime)), existsSync(dirname(inTmp))]).toEqual([false, false]);
  });

  test("is the same by every path that leads to the home", () => {
    prepareHome(long(), uid);
    symlinkSync(long().home, join(base, "y".repeat(120)));
    expect(pathOf(homePaths(join(base, "y".repeat(120))))).toBe(pathOf(long()));
  });

  test("is the kernel's, also for clients with another runtime directory", () => {
    const runtimeDir = mkdtempSync(join(base, "r-"));
    const paths = long();
    prepareHome(paths, uid);
    const place = placeOf(paths, { runtimeDir });
    const { path: socket } = place;
    place.make();
    writeFileSync(paths.kernelInfo, JSON.stringify({ pid: 5, version: "1", exe: "gsv", socket, startedAt: 1 }));
    expect(pathOf(paths)).toBe(socket);
    chmodSync(dirname(socket), 0o777);
    expect(pathOf(paths)).not.toBe(socket);
  });
});

describe("the directory of a long home's socket", () => {
  const runtime = () => {
    const runtimeDir = join(base, "r");
    mkdirSync(runtimeDir, { recursive: true, mode: 0o700 });
    return placeOf(long(), { runtimeDir });
  };

  test("is private, is used again, and goes unless it has other files", () => {
    const place = runtime();
    const directory = dirname(place.path);
    expect(place.mayServe()).toBe(false);
    place.make();
    place.make();
    expect([place.mayServe(), statSync(directory).mode & 0o777]).toEqual([false, 0o700]);
    writeFileSync(place.path, "");
    expect(place.mayServe()).toBe(true);
    rmSync(place.path);
    writeFileSync(join(directory, "other"), "");
    place.leave();
    expect(existsSync(directory)).toBe(true);
    rmSync(join(directory, "other"));
    place.leave();
    expect(existsSync(directory)).toBe(false);
  });

  test("is refused to kernels and clients when it is open, a link or a file", () => {
    const place = runtime();
    const directory = dirname(place.path);
    const both = () => {
      const errors = [refusal(() => place.mayServe()), refusal(() => place.make())];
      expect(errors[0]).toEqual(errors[1] as SysError);
      return errors[0] as SysError;
    };
    place.make();
    chmodSync(directory, 0o755);
    expect([both().code, both().hints]).toEqual(["ECONFIG", [`chmod 700 ${directory}`]]);
    rmSync(directory, { recursive: true });
    mkdirSync(join(base, "trap"), { mode: 0o700 });
    symlinkSync(join(base, "trap"), directory);
    expect(both().message).toContain("not a directory");
    rmSync(directory);
    writeFileSync(directory, "");
    expect(both().message).toContain("not a directory");
  });

  test("is not created by a read, exists while the kernel runs, also after a kill, and goes with it", async () => {
    const at = `${"deep/".repeat(30)}home`;
    await withHome(
      async (home) => {
        expect((await home.gsv(["kernel", "status"])).status).toBe(0);
        await home.stop();
        const directory = dirname(home.socketPath);
        expect([existsSync(directory), directory.startsWith("/tmp/")]).toEqual([false, true]);
        expect((await home.gsv(["ps"])).status).toBe(0);
        expect(existsSync(directory)).toBe(false);
        expect((await home.gsv(["kernel", "start"])).status).toBe(0);
        expect(existsSync(directory)).toBe(true);
        await home.kill();
        expect((await home.gsv(["send", "hello"])).status).toBe(0);
        expect((await home.gsv(["kernel", "stop"])).status).toBe(0);
        await until("the kernel has ended", () => home.processes.length === 0);
        expect(existsSync(directory)).toBe(false);
      },
      { at },
    );
  }, 30_000);
});
