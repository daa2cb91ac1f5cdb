// The words of the sandbox: what is shown, what is hidden and in which order, for bubblewrap and for macOS. A stand-in takes its place where
// one is run (test/process/shell-tool); whether the real one keeps what it is told is tried where the machine has it.

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSandbox, type Sandbox, socketPlaces } from "../../src/targets/sandbox.ts";
import { succeeds } from "../../src/targets/spawn.ts";
import { scratchDirectory } from "../support/scratch.ts";

const given = { directory: "/home/sam/app", home: "/home/sam/.gsv", hidden: ["/run", "/home/sam/.ssh"], tmp: "/tmp" };

async function on(platform: string): Promise<Sandbox> {
  const sandbox = await findSandbox({ platform, find: (name) => `/opt/${name}`, works: async () => true });
  if (sandbox === null) throw new Error(`no sandbox on ${platform}`);
  return sandbox;
}

async function words(confinement: Partial<Parameters<Sandbox["wrap"]>[1]> = {}, platform = "linux"): Promise<string> {
  const sandbox = await on(platform);
  return sandbox.wrap(["/bin/bash", "-c", "true"], { ...given, network: false, ...confinement }).join(" ");
}

describe("bubblewrap", () => {
  test("shows the machine to be read, and one directory to be written", async () => {
    const told = await words();
    expect(told).toStartWith("/opt/bwrap --die-with-parent ");
    expect(told).toEndWith(" --bind /home/sam/app /home/sam/app --chdir /home/sam/app -- /bin/bash -c true");
    for (const part of ["--ro-bind / /", "--dev /dev", "--proc /proc", "--unshare-pid", "--cap-drop ALL"])
      expect(told).toContain(part);
    expect(told.match(/--bind /g)).toHaveLength(1);
  });

  test("hides gsv's home, /tmp, and where sockets and keys lie, over what was shown before", async () => {
    const told = await words();
    for (const place of ["/tmp", "/run", "/home/sam/.ssh", "/home/sam/.gsv"])
      expect(told.indexOf(`--tmpfs ${place}`)).toBeGreaterThan(told.indexOf("--ro-bind / /"));
  });

  test("there is no network unless it was allowed", async () => {
    expect(await words()).toContain("--unshare-net");
    expect(await words({ network: true })).not.toContain("--unshare-net");
  });

  test("a directory in a hidden place is shown after, and what is to be hidden in it is hidden last", async () => {
    const inTmp = await words({ directory: "/tmp/app" });
    expect(inTmp.indexOf("--bind /tmp/app")).toBeGreaterThan(inTmp.indexOf("--tmpfs /tmp "));
    const around = await words({ directory: "/home/sam" });
    for (const place of ["/home/sam/.gsv", "/home/sam/.ssh"])
      expect(around.indexOf(`--tmpfs ${place}`)).toBeGreaterThan(around.indexOf("--bind /home/sam "));
    const all = await words({ directory: "/" });
    for (const place of ["/tmp", "/run", "/home/sam/.gsv"])
      expect(all.indexOf(`--tmpfs ${place}`)).toBeGreaterThan(all.indexOf("--bind / /"));
    expect(await words({ directory: "/tmp" })).not.toContain("--tmpfs /tmp ");
    // A name that only begins alike lies beside it.
    const beside = await words({ home: "/home/sam/app.gsv" });
    expect(beside.indexOf("--tmpfs /home/sam/app.gsv")).toBeLessThan(beside.indexOf("--bind /home/sam/app "));
  });
});

test("on macOS the last rule hides, a path is one string whatever it holds", async () => {
  const told = await words({ directory: '/Volumes/a"b\\c', network: true }, "darwin");
  expect(told).toStartWith("/opt/sandbox-exec -p (version 1)");
  expect(told).toContain('(allow file-write* (subpath "/Volumes/a\\"b\\\\c")');
  expect(told).toContain('(deny file-read* file-write* (subpath "/home/sam/.gsv") (subpath "/run")');
  expect(told.indexOf("(deny file-read*")).toBeGreaterThan(told.indexOf("(allow file-write*"));
  expect(told).toContain("(deny network* (remote unix-socket))");
  expect(await words({}, "darwin")).toContain("(deny network*)(");
});

test("one that is not there, or may not do its work, is none", async () => {
  const works = async () => true;
  expect(await findSandbox({ platform: "linux", find: () => null, works })).toBeNull();
  expect(await findSandbox({ platform: "linux", find: () => "/opt/bwrap", works: async () => false })).toBeNull();
  expect(await succeeds(["/nonexistent/bwrap"], {})).toBe(false);
  expect(await succeeds(["/bin/sh", "-c", "exit 1"], {})).toBe(false);
  expect(await succeeds(["/bin/sh", "-c", "exit 0"], {})).toBe(true);
});

test("sockets and keys lie in the runtime directory and below the person's home", () => {
  expect(socketPlaces("/home/sam", "/run/user/1000")).toEqual([
    "/run",
    "/run/user/1000",
    "/home/sam/.ssh",
    "/home/sam/.gnupg",
    "/home/sam/.docker",
  ]);
});

const real = await findSandbox({
  platform: process.platform,
  find: (name) => Bun.which(name),
  works: (argv) => succeeds(argv, { PATH: "/usr/bin:/bin" }),
});
test.skipIf(real === null)("the machine's own keeps what it is told", async () => {
  const scratch = realpathSync(scratchDirectory("sandbox"));
  const [directory, home] = [join(scratch, "work"), join(scratch, "home")];
  for (const each of [directory, home]) mkdirSync(each);
  writeFileSync(join(home, "secret"), "canary");
  const inside = async (script: string) =>
    succeeds(real!.wrap(["/bin/sh", "-c", script], { directory, home, hidden: [], network: false, tmp: "/tmp" }), {
      PATH: "/usr/bin:/bin",
    });
  expect(await inside("touch made")).toBe(true);
  expect(existsSync(join(directory, "made"))).toBe(true);
  expect(await inside(`cat ${home}/secret`)).toBe(false);
  await inside(`touch ${scratch}/made`);
  expect(existsSync(join(scratch, "made"))).toBe(false);
  rmSync(scratch, { recursive: true, force: true });
});
