// A kernel is killed while a hook runs: the call was not made, the next kernel ends that hook and runs it again.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Spawned, WaitResult } from "../../src/syscalls/services.ts";
import type { ShownHook } from "../../src/syscalls/system/hooks.ts";
import { isAlive, until, withHome } from "../support/home.ts";
import { HomeBook } from "../support/sound.ts";

test("after kill -9 during a hook its call was not made, the hook is gone, and the next kernel runs the hook again before the call", async () => {
  await withHome(async (home) => {
    const asked = home.beside("asked");
    const path = join(home.paths.hooksDir, "tool-before/slow");
    const script = await home.file("script", [
      { calls: [{ name: "Write", args: { path: "~/letter", content: "dear all" } }] },
      { text: "written", repeat: 10 },
    ]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { label: "writes" });
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Only the first time it never ends.
    const body = `echo $$ >> '${asked}'; test $(wc -l < '${asked}') = 1 && exec sleep 600; exit 0`;
    writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o700 });
    const { sha256 } = await sys.call<ShownHook>("hooks.show", { hook: "tool-before/slow" });
    await sys.call("hooks.allow", { hook: "tool-before/slow", sha256 });

    await sys.call("proc.send", { pid, message: "write it" });
    await until("the hook is asked", () => existsSync(asked) && readFileSync(asked, "utf8").endsWith("\n"));
    const first = Number(readFileSync(asked, "utf8"));
    await home.kill();
    expect(isAlive(first)).toBe(true);
    const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] });
    expect([results[0]?.status, results[0]?.text]).toEqual(["ok", "written"]);
    await until("the first one has ended", () => !isAlive(first));
    expect(readFileSync(asked, "utf8").trimEnd().split("\n")).toHaveLength(2);
    expect((await home.gsv(["cat", "~/letter"])).stdout).toBe("dear all");
    await home.stop();
    const book = new HomeBook(home);
    expect(book.faults).toEqual([]);
    expect(book.records(pid).filter(({ role }) => role === "toolResult")).toHaveLength(1);
  });
}, 30_000);
