// A full disk: every acknowledged write is saved, work waits with that reason, and resumes by itself once there is
// space. Once with stores that report it, and, if a small file system can be mounted, on one that is really full.

import { expect, test } from "bun:test";
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import { type TestHome, until, withHome } from "../support/home.ts";
import { HomeBook } from "../support/sound.ts";

const ENV = { GSV_KERNEL_DISK_RETRY_MS: "50" };

interface Disk {
  fill(): void;
  free(): void;
}

async function goesThroughAFullDisk(home: TestHome, disk: Disk): Promise<void> {
  const script = await home.file("script", [
    { delayMs: 700, calls: [{ name: "Write", args: { path: "~/written", content: "x".repeat(5000) } }] },
    { text: "through", repeat: 10 },
  ]);
  const env = { GSV_MODEL: `script:${script}` };
  const sys = home.sys({ model: env.GSV_MODEL });
  await sys.call("fs.write", { path: "~/first", content: "there is space" });
  const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go" });
  disk.fill();
  const refused = await home.gsv(["send", "--pid", pid, "not to be saved"], { env });
  expect([refused.status, refused.stdout]).toEqual([75, ""]);
  expect(refused.stderr).toContain("not saved");
  const shown = () => sys.call<ProcessInfo>("proc.get", { pid });
  await until("the run waits for the disk", async () => (await shown()).state === "paused");
  expect((await shown()).waitsFor?.kind).toBe("disk");
  const held = await home.gsv(["wait", pid], { env });
  expect([held.status, held.stderr.includes("disk")]).toEqual([75, true]);
  disk.free();
  await until("it goes on by itself", async () => (await shown()).state === "idle");
  expect((await home.gsv(["wait", pid])).status).toBe(0);
  expect((await home.gsv(["send", "--pid", pid, "there is space again"], { env })).status).toBe(0);
  expect((await home.gsv(["wait", pid])).status).toBe(0);
  await home.stop();
  const book = new HomeBook(home);
  expect(book.faults).toEqual([]);
  const said = book.records(pid).filter((record) => record.role === "user");
  expect(said.map((record) => record.content)).toEqual(["go", "there is space again"]);
}

test.concurrent("when the stores find the disk full a send exits 75, the process waits for space, and resumes by itself", async () => {
  await withHome(
    async (home) => {
      const full = home.beside("full");
      home.plan = () => ({ fullWhile: full });
      await goesThroughAFullDisk(home, {
        fill: () => closeSync(openSync(full, "w")),
        free: () => rmSync(full),
      });
    },
    { env: ENV },
  );
}, 30_000);

const mountable = process.getuid?.() === 0 && process.platform === "linux" && canMount();

test.concurrent.if(mountable)(
  "on a file system that is really full a send exits 75, the process waits for space, and resumes by itself",
  async () => {
    await withHome(
      async (home) => {
        mkdirSync(home.directory, { mode: 0o700 });
        mount(home.directory);
        try {
          const filler = join(home.directory, "filler");
          await goesThroughAFullDisk(home, { fill: () => fillUp(filler), free: () => rmSync(filler) });
        } finally {
          await home.kill();
          Bun.spawnSync(["umount", "-l", home.directory]);
        }
      },
      { env: ENV },
    );
  },
  30_000,
);

if (!mountable) process.stderr.write("disk.test.ts: no file system can be mounted here, so none is filled for real\n");

function fillUp(path: string): void {
  const file = openSync(path, "w", 0o600);
  for (let piece = 64 * 1024; piece >= 1; ) {
    try {
      writeSync(file, new Uint8Array(piece));
    } catch {
      piece = Math.floor(piece / 2);
    }
  }
  closeSync(file);
  expect(statfsSync(path).bavail).toBe(0);
}

function canMount(): boolean {
  const place = join("/tmp", `gsv-mount-${process.pid}`);
  mkdirSync(place);
  const mounted = mount(place);
  if (mounted) Bun.spawnSync(["umount", place]);
  rmSync(place, { recursive: true });
  return mounted;
}

function mount(place: string): boolean {
  return Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", place]).exitCode === 0;
}
