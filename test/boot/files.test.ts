// Files with real processes around them: a client that is killed in the middle of an upload, and reading with no kernel at all.

import { expect, test } from "bun:test";
import { withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

test("a client that is killed while it uploads leaves the old content, whole", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["cp", "-", "~/a"], { stdin: "old" })).status).toBe(0);
    const child = Bun.spawn([...gsvCommand(), "cp", "-", "~/a"], {
      env: { PATH: process.env.PATH ?? "", HOME: home.beside("me"), GSV_HOME: home.directory },
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
    });
    // A pipe holds far less than this: once it is accepted, most of it has been sent.
    for (let piece = 0; piece < 40; piece++) {
      child.stdin.write(Buffer.alloc(64 * 1024, "new "));
      await child.stdin.flush();
    }
    child.kill("SIGKILL");
    await child.exited;
    expect((await home.gsv(["cat", "~/a"])).stdout).toBe("old");
    expect((await home.gsv(["ls", "-A"])).stdout).toBe("a\n");
  });
}, 30_000);

test("reads need no kernel and start none", async () => {
  await withHome(async (home) => {
    await home.gsv(["cp", "-", "~/notes.md"], { stdin: "words\n" });
    await home.stop();
    for (const [argv, stdout] of [
      [["cat", "~/notes.md"], "words\n"],
      [["ls", "~"], "notes.md\n"],
      [["find", "~", "-name", "*.md"], "~/notes.md\n"],
      [["grep", "-c", "words", "~/notes.md"], "1\n"],
      [["du", "-b", "~/notes.md"], "6\t~/notes.md\n"],
    ] as const)
      expect(await home.gsv([...argv])).toEqual({ status: 0, stdout, stderr: "" });
    expect(JSON.parse((await home.gsv(["kernel", "status", "--json"])).stdout)).toMatchObject({ running: false });
  });
}, 30_000);
