// The wake timer: the text of its files for each system, and what happens on the disk and in systemctl when it is turned on and off.

import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { serviceFor } from "../../src/machine/wake/service-units.ts";
import { timerFor } from "../../src/machine/wake/timer-units.ts";
import { serveService, wakeTimer } from "../../src/machine/wake/wake.ts";
import { homePaths } from "../../src/paths.ts";
import { scratchDirectory } from "../support/scratch.ts";

const AT = Date.UTC(2026, 10, 30, 8, 0, 0);

const ABOUT = {
  ...{ userHome: "/home/sam", configDir: "/home/sam/.config", uid: 501, home: "/home/sam/.gsv", isDefaultHome: true },
  ...{ kernelDb: "/home/sam/.gsv/kernel.db", kernelLog: "/home/sam/.gsv/log/kernel.log" },
  ...{ command: ["/opt/my tools/gsv"], path: "/usr/bin:/bin" },
};

const textsOf = (platform: string, at: number | null, over: object = {}) =>
  timerFor({ ...ABOUT, ...over, platform })!
    .files(at)
    .map(({ text }) => text);

describe("the files", () => {
  test("of systemd: a service that runs a kernel, and a timer for the next instant", () => {
    const [service, timer] = textsOf("linux", AT);
    expect(service).toContain('ExecStart="/opt/my tools/gsv" "kernel" "run"\n');
    expect(service).toContain('Environment="GSV_HOME=/home/sam/.gsv" "PATH=/usr/bin:/bin"\n');
    expect(service).toContain("ConditionPathExists=/home/sam/.gsv/kernel.db\n");
    expect(timer).toContain("OnCalendar=2026-11-30 08:00:00 UTC\nOnCalendar=hourly\n");
    expect(textsOf("linux", null)[1]).not.toContain("UTC");
  });

  test("of systemd: odd paths cannot change the unit", () => {
    const [service] = textsOf("linux", AT, { command: ['/a"b$HOME%h\\c'], home: "/x%y" });
    expect(service).toContain('ExecStart="/a\\"b$$HOME%%h\\\\c" "kernel" "run"\n');
    expect(service).toContain('"GSV_HOME=/x%%y"');
  });

  const analyze = Bun.which("systemd-analyze");
  test.skipIf(analyze === null)("of systemd are valid (needs systemd-analyze)", async () => {
    const directory = scratchDirectory("units");
    const [service, timer] = timerFor({ ...ABOUT, platform: "linux", command: ["/bin/true"] })!.files(AT);
    const paths = [service!, timer!].map(({ path, text }) => {
      const file = join(directory, path.slice(path.lastIndexOf("/") + 1));
      writeFileSync(file, text);
      return file;
    });
    const child = Bun.spawn([analyze!, "verify", ...paths], { stdio: ["ignore", "pipe", "pipe"] });
    const said = await new Response(child.stderr).text();
    expect(said.split("\n").filter((line) => line.includes("gsv-wake"))).toEqual([]);
  });

  test("of launchd: an agent with the minute of the instant, and text that cannot break the XML", () => {
    const [plist] = textsOf("darwin", AT, { command: ["/a&b/<gsv>"] });
    const at = new Date(AT);
    expect(plist).toContain("<string>/a&amp;b/&lt;gsv&gt;</string><string>kernel</string><string>run</string>");
    expect(plist).toContain(`<key>Day</key><integer>${at.getDate()}</integer><key>Hour</key><integer>${at.getHours()}`);
    expect(timerFor({ ...ABOUT, platform: "darwin" })!.files(AT)[0]!.path).toBe(
      "/home/sam/Library/LaunchAgents/dev.gsv.gsv-wake.plist",
    );
  });

  test("of Windows: a task", () => {
    const [task] = textsOf("win32", AT);
    expect(task).toContain("<StartBoundary>2026-11-30T08:00:00Z</StartBoundary>");
    expect(task).toContain("<Command>/opt/my tools/gsv</Command><Arguments>kernel run</Arguments>");
  });

  test("another home has a timer of its own; another system has none", () => {
    const named = (home: string) => timerFor({ ...ABOUT, platform: "linux", home, isDefaultHome: false })!.name;
    expect(named("/a")).not.toBe(named("/b"));
    expect(timerFor({ ...ABOUT, platform: "haiku" })).toBeNull();
  });
});

/** A machine with a systemctl that records its words and ends with a status. */
function machineWith(script: string) {
  const directory = scratchDirectory("wake");
  const [bin, calls] = [join(directory, "bin"), join(directory, "calls")];
  const paths = homePaths(join(directory, ".gsv"));
  mkdirSync(paths.runDir, { recursive: true });
  mkdirSync(bin);
  writeFileSync(join(bin, "systemctl"), `#!/bin/sh\necho "$*" >>${calls}\n${script}\n`);
  chmodSync(join(bin, "systemctl"), 0o755);
  const env = { HOME: directory, PATH: `${bin}:/usr/bin:/bin` };
  const machine = { paths, env, uid: 1000, clock: realClock, command: ["/opt/gsv"], platform: "linux" };
  const timer = wakeTimer(machine);
  const recorded = () => (existsSync(calls) ? readFileSync(calls, "utf8").trimEnd().split("\n") : []);
  return { directory, units: join(directory, ".config/systemd/user"), machine, timer, paths, recorded };
}

describe("the service of gsv serve install", () => {
  const fileOf = (platform: string) => serviceFor({ ...ABOUT, platform })!.files(null)[0]!;

  test("runs the kernel at login and after a crash, and not again after it was stopped", () => {
    const { path, text } = fileOf("linux");
    expect(path).toBe("/home/sam/.config/systemd/user/gsv-serve.service");
    expect(text).toContain('ExecStart="/opt/my tools/gsv" "kernel" "run"\nRestart=on-failure\n');
    expect(text).toContain("WantedBy=default.target\n");
    expect(fileOf("darwin").text).toContain("<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>");
    expect(fileOf("win32").text).toContain("<LogonTrigger/>");
    expect(serviceFor({ ...ABOUT, platform: "haiku" })).toBeNull();
  });

  test("is written, started and removed whole, beside the timer", async () => {
    const { directory, units, paths, machine, recorded, timer } = machineWith("exit 0");
    const service = serveService(machine);
    await timer.on(null);
    await service.on(null);
    expect(readdirSync(units).toSorted()).toEqual(["gsv-serve.service", "gsv-wake.service", "gsv-wake.timer"]);
    expect(recorded().slice(-1)).toEqual(["--user enable --now gsv-serve.service"]);
    expect(await service.off()).toEqual([join(directory, ".config/systemd/user/gsv-serve.service")]);
    expect([existsSync(join(paths.runDir, "serve.json")), timer.isOn()]).toEqual([false, true]);
  });

  test("a system that refuses it leaves nothing behind", async () => {
    const { directory, machine } = machineWith("echo 'Failed to connect to bus' >&2; exit 1");
    await expect(serveService(machine).on(null)).rejects.toThrow("the service was not installed: ");
    expect(existsSync(join(directory, ".config"))).toBe(false);
  });
});

describe("systemctl", () => {
  test("on writes both units and starts the timer; set moves it; off leaves nothing", async () => {
    const { directory, units, timer, recorded } = machineWith("exit 0");
    expect(timer.isOn()).toBe(false);
    await timer.on(AT);
    expect(readdirSync(units).toSorted()).toEqual(["gsv-wake.service", "gsv-wake.timer"]);
    expect(recorded()).toEqual(["--user daemon-reload", "--user enable --now gsv-wake.timer"]);
    await timer.set(AT);
    expect(recorded().length).toBe(2);
    await timer.set(AT + 60_000);
    expect(readFileSync(join(units, "gsv-wake.timer"), "utf8")).toContain("OnCalendar=2026-11-30 08:01:00 UTC\n");
    expect(recorded().slice(2)).toEqual(["--user daemon-reload", "--user restart gsv-wake.timer"]);
    expect(await timer.status()).toMatchObject({ on: true, at: AT + 60_000, fault: null });
    expect((await timer.off()).length).toBe(2);
    expect([readdirSync(units), readdirSync(join(directory, ".gsv/run"))]).toEqual([[], []]);
    expect(recorded().slice(-2)).toEqual(["--user disable --now gsv-wake.timer", "--user daemon-reload"]);
    expect(await timer.off()).toEqual([]);
  });

  test("a system that refuses leaves nothing behind", async () => {
    const { directory, timer } = machineWith("echo 'Failed to connect to bus' >&2; exit 1");
    await expect(timer.on(AT)).rejects.toThrow("Failed to connect to bus");
    expect([existsSync(join(directory, ".config")), timer.isOn()]).toEqual([false, false]);
  });

  test("a timer whose file was deleted by hand is off, and a stopped one has a fault", async () => {
    const { units, timer, paths } = machineWith('[ "$2" != is-active ]');
    await timer.on(AT);
    expect(await timer.status()).toMatchObject({ on: true, fault: expect.stringContaining("exit status 1") });
    Bun.spawnSync(["rm", join(units, "gsv-wake.timer")]);
    expect([timer.isOn(), existsSync(join(paths.runDir, "wake.json"))]).toEqual([false, true]);
  });
});
