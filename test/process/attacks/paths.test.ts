// Known faults of paths, by number: prefixes, links, races, names that a disk takes for the same, files with predictable names.

import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { socketPlace } from "../../../src/client/socket.ts";
import { homePaths } from "../../../src/paths.ts";
import { isGuarded } from "../../../src/process/approvals/policy/file-verdict.ts";
import { actsByItself } from "../../../src/process/approvals/policy/host-file-verdict.ts";
import { AttackGround, attack, ON_HOST as host } from "../../support/attacks.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";

const ground = new AttackGround();
const { scratch, work, secret } = ground;
beforeAll(() => ground.begin());
afterAll(() => ground.end());

attack("CVE-2025-54794", "a directory that extends the attached name is outside it", async () => {
  await ground.asks("Read", { path: `${secret}/key`, ...host }, "outside the workspace");
  await ground.asks("Search", { query: "canary", path: secret, ...host });
  await ground.asks("Shell", { command: "cat ../work-secret/key", ...host });
});

attack("CVE-2025-53109 CVE-2025-53110", "a link's target outside is outside", async () => {
  for (const path of ["link", "elsewhere/key", `${work}/src/../elsewhere/key`])
    await ground.asks("Read", { path, ...host }, `read ${secret}/key on this computer, outside the workspace`);
  await ground.asks("Write", { path: "elsewhere/new", content: "x", ...host }, `write ${secret}/new`);
  expect(existsSync(join(secret, "new"))).toBe(false);
});

attack("CVE-2026-25724", "a denied file is denied through every link to it", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/secret", content: "canary" });
  await home.sys.call("shell.run", { id: "0190a1b2-0000-7000-8000-000000000001", script: "ln -s secret ~/open" });
  const rule = { match: "fs.*", when: { argEquals: { path: "/home/sam/secret" } }, action: "deny" };
  await home.sys.call("config.set", { key: "ai.tools.approval", value: JSON.stringify({ rules: [rule] }) });
  for (const path of ["~/secret", "~/open", "/home/sam/../sam/open"]) {
    home.model.will(INIT, { calls: [{ name: "Read", args: { path } }] });
    await home.say("go");
    const last = (await home.messages(INIT)).findLast((message) => message.role === "toolResult");
    expect(last?.content).toMatchObject({ outcome: "denied", output: expect.stringContaining("denied by a policy") });
  }
});

attack("CVE-2026-39861 CVE-2026-88968", "a link that appears after the approval is not written through", async () => {
  writeFileSync(join(work, "plan"), "old\n");
  const asked = await ground.desk.calls("Write", { path: "plan", content: "new\n", ...host });
  renameSync(join(work, "plan"), join(work, "plan.old"));
  symlinkSync(join(secret, "key"), join(work, "plan"));
  expect(await ground.desk.answers(asked)).toMatch(/EPERM|changed|another|not carried out|links/i);
  expect(readFileSync(join(secret, "key"), "utf8")).toBe("canary\n");
  rmSync(join(work, "plan"));
});

attack("CVE-2026-34452", "no filesystem takes a path that the namespace has not resolved", () => {
  const verbs =
    readFileSync("fs/filesystem.ts", "utf8").split("export interface FileSystem ")[1]?.split("\n}\n")[0] ?? "";
  const paths = [...verbs.matchAll(/\b(?:path|from|to|directory)\??: (\w+)/g)].map((match) => match[1]);
  expect(paths.length).toBeGreaterThan(8);
  expect(new Set(paths)).toEqual(new Set(["ResolvedPath"]));
});

attack("CVE-2024-34346", "process information of the system is no host file, also with an approval", async () => {
  for (const path of ["/proc/self/environ", "/proc/1/mem", "/sys/kernel/notes"]) {
    const asked = await ground.desk.calls("Read", { path, ...host });
    expect(typeof asked === "string" ? asked : await ground.desk.answers(asked)).toMatch(/EPERM|ENOENT|EACCES/);
  }
});

attack("CVE-2025-59944", "names that a disk takes for the same are guarded alike", () => {
  for (const name of [".Git/Hooks/pre-commit", ".GSV/policy.json", "AGENTS.MD", ".mcp.JSON", ".gi\u200bt/config"])
    expect([name, actsByItself(`/work/${name}`)]).toEqual([name, true]);
  for (const name of ["Context.d/a.md", "SKILLS.D/x", "persona.MD", "Hooks.d/x"])
    expect([name, isGuarded(`/home/sam/${name}`)]).toEqual([name, true]);
});

attack("CVE-2026-46406", "a file with a predictable name is gsv's alone, or refused", () => {
  const long = join(scratch, "x".repeat(120));
  const uid = process.getuid?.() ?? 0;
  const place = socketPlace(homePaths(long), { uid });
  const directory = join(place.path, "..");
  try {
    mkdirSync(directory, { mode: 0o777 });
    Bun.spawnSync(["chmod", "777", directory], { env: {} });
    expect(() => place.mayServe()).toThrow("other users can open it");
    expect(() => place.make()).toThrow("other users can open it");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
