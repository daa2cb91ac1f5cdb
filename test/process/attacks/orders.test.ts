// Known faults of things that run automatically, by number: settings, hooks and repositories that run or redirect something, open servers,
// an approval used for another call.

import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPlainRepository } from "../../../src/kernel/shells/safe-git.ts";
import { AttackGround, attack, ON_HOST as host } from "../../support/attacks.ts";
import { plainGit } from "../../support/git.ts";
import { TestHome } from "../../support/home.ts";
import { INIT } from "../../support/kernel.ts";
import { isCompiled } from "../../support/program.ts";

const ground = new AttackGround();
const { scratch, work } = ground;
beforeAll(() => ground.begin());
afterAll(() => ground.end());

attack(
  "CVE-2026-25725 CVE-2025-54135",
  "only a person writes instructions for programs and agents, existing or new",
  async () => {
    await ground.desk.home.sys.call("proc.mode", { pid: INIT, mode: "accept-edits" });
    try {
      for (const path of [".gsv/policy.json", ".mcp.json", ".git/hooks/pre-commit", ".husky/x", "AGENTS.md", ".envrc"])
        await ground.asks("Write", { path, content: "{}", ...host }, `write ${work}/${path}`);
      expect(await ground.desk.calls("Write", { path: "plain.txt", content: "x", ...host })).toContain("wrote 1 bytes");
    } finally {
      await ground.desk.home.sys.call("proc.mode", { pid: INIT, mode: "ask" });
    }
    for (const path of ["~/hooks.d/start", "~/skills.d/x.md", "~/context.d/x.md", "~friday/persona.md"])
      await ground.asks("Write", { path, content: "x" }, "write /home/");
  },
);

attack("CVE-2025-54136", "an approval covers only the shown call: a changed one asks again", async () => {
  const asked = await ground.desk.calls("Delete", { path: "notes", ...host });
  if (typeof asked === "string") throw new Error("it did not ask");
  const { sys } = ground.desk.home;
  const answer = {
    id: asked.id,
    decision: "approve",
    hash: asked.hash.replace(/^./, (first) => (first === "0" ? "1" : "0")),
  };
  expect((await ground.desk.home.refusal("hil.answer", answer, sys)).code).toBe("ECONFLICT");
  await ground.desk.answers(asked, "deny");
  expect(existsSync(join(work, "notes"))).toBe(true);
});

attack(
  "CVE-2025-59536 CVE-2026-21852 CVE-2025-52882 CVE-2025-49596 CVE-2025-66414 CVE-2025-66416 CVE-2026-11624",
  "the current repository selects no server and runs nothing, and a kernel listens only on its own socket",
  async () => {
    const home = new TestHome();
    try {
      const here = join(scratch, "hostile");
      mkdirSync(join(here, ".gsv"), { recursive: true });
      // From source the runtime would read these, before a line of gsv.
      const inside = isCompiled() ? { cwd: here } : {};
      writeFileSync(
        join(here, "preload.ts"),
        `require("fs").writeFileSync(${JSON.stringify(join(scratch, "ran"))}, "")`,
      );
      writeFileSync(join(here, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
      writeFileSync(join(here, ".env"), "OPENAI_BASE_URL=http://127.0.0.1:9/v1\nHTTPS_PROXY=http://127.0.0.1:9\n");
      writeFileSync(join(here, ".gsv/config.json"), '{"ai.baseUrl": "http://127.0.0.1:9/v1"}');
      expect((await home.gsv(["chat", "hi"], inside)).status).toBe(0);
      const set = await home.gsv(["config", "get", "ai.baseUrl", "--json"], inside);
      expect(set.stdout).not.toContain("127.0.0.1");
      expect(existsSync(join(scratch, "ran"))).toBe(false);
      if (process.platform === "linux") {
        const { pid } = JSON.parse((await home.gsv(["kernel", "status", "--json"])).stdout) as { pid: number };
        expect(listenersOf(pid)).toEqual([]);
      }
    } finally {
      await home.dispose();
    }
  },
);

attack(
  "CVE-2022-24765 CVE-2024-32002 CVE-2025-48384",
  "git is not run without approval in a repository that names programs, modules or odd paths",
  async () => {
    const repo = join(scratch, "repo");
    plainGit(scratch, "init", "-q", repo);
    expect(isPlainRepository(repo)).toBe(true);
    mkdirSync(join(repo, ".git/modules"));
    expect(isPlainRepository(repo)).toBe(false);
    rmSync(join(repo, ".git/modules"), { recursive: true });
    writeFileSync(join(repo, ".git/hooks/post-checkout"), "#!/bin/sh\n");
    expect(isPlainRepository(repo)).toBe(false);
    const { home } = ground.desk;
    await home.sys.call("repo.create", { name: "notes" });
    for (const name of ["a\rb", ".git/config", ".GIT/config", ".gitmodules", "git~1/config", "../x"]) {
      const changes = { ops: [{ put: name, content: "x" }] };
      const refused = await home.refusal("repo.apply", { repo: "notes", message: "x", changes });
      expect(`${name} ${refused.code}`).toBe(`${name} EINVAL`);
    }
  },
);

/** TCP addresses on which a process listens. */
function listenersOf(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? ""];
      } catch {
        return [];
      }
    }),
  );
  return ["tcp", "tcp6", "udp", "udp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(
        (fields) => fields.length > 9 && inodes.has(fields[9] ?? "") && (fields[3] === "0A" || table.startsWith("udp")),
      )
      .map((fields) => `${table} ${fields[1]}`),
  );
}
