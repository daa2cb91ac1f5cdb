// The arguments of the sandbox: shown and hidden paths and their order, for bubblewrap and for macOS. The macOS rules were never run;
// test/targets/inside tests those of the host from inside.

import { describe, expect, test } from "bun:test";
import { NO_GUARD } from "../../src/targets/git-guard.ts";
import type { Hidden } from "../../src/targets/hidden.ts";
import { type Confinement, findSandbox, NO_GRANTS, type Sandbox, sandboxFinder } from "../../src/targets/sandbox.ts";
import { succeeds } from "../../src/targets/spawn.ts";

const HIDDEN: Hidden = {
  own: ["/tmp"],
  directories: ["/home/sam/.gsv", "/run", "/home/sam/.ssh"],
  files: ["/home/sam/.netrc", "/run/bus", "/srv/db.sock"],
};
const given: Confinement = {
  ...{
    directory: "/home/sam/app",
    hidden: HIDDEN,
    tmp: "/tmp",
    network: false,
    resolver: null,
    terminal: false,
    granted: NO_GRANTS,
    git: NO_GUARD,
  },
};

async function on(platform: string): Promise<Sandbox> {
  const sandbox = await findSandbox({ platform, find: (name) => `/opt/${name}`, works: async () => true });
  if (sandbox === null) throw new Error(`no sandbox on ${platform}`);
  return sandbox;
}

async function words(confinement: Partial<Confinement> = {}, platform = "linux"): Promise<string> {
  const sandbox = await on(platform);
  return sandbox.wrap(["/bin/bash", "-c", "true"], { ...given, ...confinement }).join(" ");
}

describe("bubblewrap", () => {
  test("shows the host read-only, and one directory writable", async () => {
    const told = await words();
    expect(told).toStartWith("/opt/bwrap --die-with-parent ");
    expect(told).toContain(" --bind /home/sam/app /home/sam/app ");
    expect(told).toEndWith(" /bin/bash -c true");
    for (const part of ["--ro-bind / /", "--dev /dev", "--proc /proc", "--unshare-pid", "--cap-drop ALL"])
      expect(told).toContain(part);
    expect(told.match(/--bind /g)).toHaveLength(1);
  });

  test("hides gsv's home, /tmp, and directories of sockets and keys, after the mounts before", async () => {
    const told = await words();
    for (const place of ["/tmp", "/run", "/home/sam/.ssh", "/home/sam/.gsv"])
      expect(told.indexOf(`--tmpfs ${place}`)).toBeGreaterThan(told.indexOf("--ro-bind / /"));
    for (const file of ["/home/sam/.netrc", "/srv/db.sock"])
      expect(told.indexOf(`--dev-bind /dev/null ${file}`)).toBeGreaterThan(told.indexOf("--ro-bind / /"));
    expect(told).not.toContain("/run/bus");
  });

  test("refuses writes to an empty mount instead of losing them, except in a /tmp", async () => {
    const told = await words();
    for (const place of ["/run", "/home/sam/.ssh", "/home/sam/.gsv"]) expect(told).toContain(`--remount-ro ${place}`);
    expect(told).not.toContain("--remount-ro /tmp");
  });

  test("there is no network unless it was allowed, and then name resolution works, too", async () => {
    const resolver = "/run/systemd/resolve/stub-resolv.conf";
    expect(await words({ resolver })).toContain("--unshare-net");
    expect(await words({ resolver })).not.toContain(resolver);
    const told = await words({ network: true, resolver });
    expect(told).not.toContain("--unshare-net");
    expect(told.indexOf(`--ro-bind-try ${resolver}`)).toBeGreaterThan(told.indexOf("--tmpfs /run"));
  });

  test("an approval opens directories for writing before hidden places, and keys and agents last", async () => {
    const granted = { writable: ["/home/sam/.npm"], shown: ["/home/sam/.ssh", "/tmp/agent"], env: {} };
    const told = await words({ granted });
    expect(told.indexOf("--bind-try /home/sam/.npm /home/sam/.npm")).toBeLessThan(
      told.indexOf("--tmpfs /home/sam/.ssh"),
    );
    for (const path of granted.shown)
      expect(told.indexOf(`--ro-bind-try ${path} ${path}`)).toBeGreaterThan(told.indexOf("--bind /home/sam/app"));
    expect(told.indexOf("--ro-bind-try /home/sam/.ssh")).toBeGreaterThan(told.indexOf("--tmpfs /home/sam/.ssh"));
    const seatbelt = await words({ granted }, "darwin");
    expect(seatbelt).toContain('(subpath "/tmp") (subpath "/home/sam/.npm")');
    expect(seatbelt.indexOf('(allow file-read* (subpath "/home/sam/.ssh")')).toBeGreaterThan(
      seatbelt.indexOf("(deny file-read*"),
    );
  });

  test("a directory in a hidden one is mounted after it, and its own hidden parts last", async () => {
    const inTmp = await words({ directory: "/tmp/app" });
    expect(inTmp.indexOf("--bind /tmp/app")).toBeGreaterThan(inTmp.indexOf("--tmpfs /tmp "));
    const around = await words({ directory: "/home/sam" });
    for (const place of ["/home/sam/.gsv", "/home/sam/.ssh"])
      expect(around.indexOf(`--tmpfs ${place}`)).toBeGreaterThan(around.indexOf("--bind /home/sam "));
    expect(around.indexOf("/dev/null /home/sam/.netrc")).toBeGreaterThan(around.indexOf("--bind /home/sam "));
    expect(await words({ directory: "/tmp" })).not.toContain("--tmpfs /tmp ");
    const deep = await words({
      directory: "/home",
      hidden: { ...HIDDEN, directories: ["/home/sam/a/gsv"], files: [] },
    });
    expect(deep).toContain("--bind /home /home --bind /home/sam /home/sam --bind /home/sam/a /home/sam/a --tmpfs");
    // Next to it is a path with the same prefix.
    const beside = await words({ hidden: { ...HIDDEN, directories: ["/home/sam/app.gsv"] } });
    expect(beside.indexOf("--tmpfs /home/sam/app.gsv")).toBeLessThan(beside.indexOf("--bind /home/sam/app "));
    // A path in a hidden directory is hidden, too, unless it is shown again.
    const nested = { ...HIDDEN, directories: ["/tmp/home", "/tmp/app/home"], files: ["/tmp/app/sock"] };
    const told = await words({ directory: "/tmp/app", hidden: nested });
    expect(told).not.toContain("--tmpfs /tmp/home");
    for (const part of ["--tmpfs /tmp/app/home", "/dev/null /tmp/app/sock"])
      expect(told.indexOf(part)).toBeGreaterThan(told.indexOf("--bind /tmp/app "));
  });

  test("hidden paths in /dev are hidden, too", async () => {
    const hidden = { ...HIDDEN, directories: ["/dev/shm/home"], files: ["/dev/shm/sock"] };
    expect(await words({ hidden })).not.toContain("/dev/shm");
    const inside = await words({ hidden, directory: "/dev/shm" });
    expect(inside.indexOf("--tmpfs /dev/shm/home")).toBeGreaterThan(inside.indexOf("--bind /dev/shm "));
  });

  test("devices and processes are the sandbox's own even if all files are writable", async () => {
    const all = await words({ directory: "/" });
    for (const part of ["--tmpfs /tmp", "--tmpfs /run", "--tmpfs /home/sam/.gsv", "--proc /proc", "--dev /dev"])
      expect(all.indexOf(part)).toBeGreaterThan(all.indexOf("--bind / /"));
  });
});

test("on macOS the last rule hides, and a path is one string whatever it contains", async () => {
  const told = await words({ directory: '/Volumes/a"b\\c', network: true }, "darwin");
  expect(told).toStartWith("/opt/sandbox-exec -p (version 1)");
  expect(told).toContain('(allow file-write* (subpath "/Volumes/a\\"b\\\\c")');
  expect(told).toContain('(deny file-read* file-write* (subpath "/home/sam/.gsv") (subpath "/run")');
  expect(told.indexOf("(deny file-read*")).toBeGreaterThan(told.indexOf("(allow file-write*"));
  expect(told).toContain("(deny network* (remote unix-socket))");
  expect(await words({}, "darwin")).toContain("(deny network*)(");
});

test("a missing or broken sandbox counts as none", async () => {
  const works = async () => true;
  expect(await findSandbox({ platform: "linux", find: () => null, works })).toBeNull();
  expect(await findSandbox({ platform: "linux", find: () => "/opt/bwrap", works: async () => false })).toBeNull();
  expect(await succeeds(["/nonexistent/bwrap"], {})).toBe(false);
  expect(await succeeds(["/bin/sh", "-c", "exit 1"], {})).toBe(false);
  expect(await succeeds(["/bin/sh", "-c", "exit 0"], {})).toBe(true);
});

test("a sandbox installed later is found, without a trial for every command", async () => {
  let [there, trials, now] = [false, 0, 0];
  const works = async () => {
    trials++;
    return true;
  };
  const find = sandboxFinder(
    { platform: "linux", find: () => (there ? "/opt/bwrap" : null), works },
    { mono: () => now },
  );
  expect(await find()).toBeNull();
  there = true;
  expect(await find()).toBeNull();
  now = 6000;
  for (let round = 0; round < 3; round++) expect((await find())?.name).toBe("bwrap");
  now = 20_000;
  expect((await find())?.name).toBe("bwrap");
  expect(trials).toBe(1);
});
