// Settings as people, processes and root see and change them, in one kernel and after its restart.

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { exitStatusOf } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { SettingInfo } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman, inKernelDb } from "../support/people.ts";

const get = (sys: Sys, key: string) => sys.call<SettingInfo>("config.get", { key });
const set = (sys: Sys, key: string, value: string, more: object = {}) =>
  sys.call("config.set", { key, value, ...more });

function stored(home: TestKernel): { [key: string]: string } {
  const rows = inKernelDb(home, (db) => db.query("SELECT key, value FROM config_kv").all());
  return Object.fromEntries((rows as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
}

describe("layers", () => {
  test("default, home, account, environment: each layer overrides those before it, and unset reveals the layer below", async () => {
    await using home = await TestKernel.boot({ env: { TZ: "Asia/Tokyo" } });
    const other = home.person(1000);
    expect(await get(other, "userTimezone")).toMatchObject({ value: "UTC", layer: "default" });
    await set(home.person(0), "userTimezone", "Europe/Paris", { system: true });
    expect(await get(other, "userTimezone")).toMatchObject({ value: "Europe/Paris", layer: "system" });
    await set(other, "user_timezone", "Europe/Rome");
    expect(await get(other, "userTimezone")).toMatchObject({ value: "Europe/Rome", layer: "user" });
    const seen = await get(home.sys, "userTimezone");
    expect(seen).toMatchObject({ value: "Asia/Tokyo", layer: "environment" });
    expect(seen.layers.map(({ shown }) => shown)).toEqual(["UTC", "Europe/Paris", "Europe/Rome", "Asia/Tokyo"]);
    expect(stored(home)).toEqual({
      "config/user_timezone": "Europe/Paris",
      "users/1000/user_timezone": "Europe/Rome",
    });
    await other.call("config.unset", { key: "userTimezone" });
    expect(await get(other, "userTimezone")).toMatchObject({ value: "Europe/Paris", layer: "system" });
    await set(home.person(0), "userTimezone", "  ", { system: true });
    expect(stored(home)).toEqual({});
  });

  test("command-line settings apply to that connection and its runs, never to root's settings or secrets", async () => {
    await using home = await TestKernel.boot({ realProviders: true, env: { TZ: "Asia/Tokyo" } });
    const script = join(home.directory, "run", "answers.jsonl");
    await Bun.write(script, `${JSON.stringify({ text: "from the script", repeat: 9 })}\n`);
    const flags = {
      userTimezone: "Europe/Rome",
      "ai.model": `script:${script}`,
      "kernel.idleMs": "7",
      "compaction.enabled": "perhaps",
      "ai.apiKey": "sk-canary-flag-0123456789",
    };
    const info = { clientId: "c9", version: "0", cwd: "/", env: { TZ: "Asia/Tokyo", GSV_MODEL: "offline" }, flags };
    const flagged = await home.kernel.accept(info);
    const seen = await get(flagged, "userTimezone");
    expect(seen).toMatchObject({ value: "Europe/Rome", layer: "flag" });
    expect(seen.layers.map(({ layer }) => layer)).toEqual(["default", "environment", "flag"]);
    for (const key of ["kernel.idleMs", "compaction.enabled", "ai.apiKey"])
      expect(await get(flagged, key)).toMatchObject({ layer: "default" });
    const { runId } = await flagged.call<{ runId: string }>("proc.send", { message: "hello" });
    await home.ended(runId);
    expect((await home.outline(INIT)).at(-1)).toBe("assistant: from the script");
    expect(await get(home.sys, "userTimezone")).toMatchObject({ value: "Asia/Tokyo", layer: "environment" });
    expect(stored(home)).toEqual({});
  });

  test("a provider without a key is saved as the model, with a note about the missing key", async () => {
    await using home = await TestKernel.boot({ realProviders: true });
    await set(home.sys, "ai.model", "anthropic:some-model");
    const reason = expect.stringContaining("gsv auth provider anthropic");
    await home.send("hello");
    expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor: { kind: "credential", reason } });
    const info = { clientId: "c9", version: "0", cwd: "/", env: { GSV_MODEL: "nobody/some-model" } };
    const named = await home.kernel.accept(info);
    expect((await home.refusal("proc.send", { message: "hello" }, named)).code).toBe("ECONFIG");
  });

  test("values have their type: numbers, flags and JSON keep theirs", async () => {
    await using home = await TestKernel.boot();
    await set(home.sys, "compaction/keep_recent_tokens", "12");
    await set(home.sys, "compaction.enabled", "off");
    await set(home.sys, "session.identityLinks", '{ "sam": ["a"] }');
    expect(await get(home.sys, "compaction.keepRecentTokens")).toMatchObject({ value: 12 });
    expect(await get(home.sys, "compaction.enabled")).toMatchObject({ value: false });
    expect(await get(home.sys, "session.identityLinks")).toMatchObject({ value: { sam: ["a"] } });
  });

  test("the kernel reads its own times from the settings at its next start, and its environment overrides them", async () => {
    await using home = await TestKernel.boot({ config: { "kernel.termMs": 77 } });
    await set(home.person(0), "kernel.idleMs", "4321", { system: true });
    await set(home.person(0), "kernel.termMs", "88", { system: true });
    expect(await get(home.sys, "kernel.termMs")).toMatchObject({ value: 77, layer: "environment" });
    await home.restart();
    expect(home.kernel.config["kernel.idleMs"]).toBe(4321);
    expect(home.kernel.config["kernel.termMs"]).toBe(77);
    expect(await get(home.sys, "kernel.idleMs")).toMatchObject({ value: 4321, layer: "system" });
  });

  test("the model is a setting of the account, checked when set; a message's environment overrides it", async () => {
    await using home = await TestKernel.boot({ realProviders: true });
    const refused = await home.refusal("config.set", { key: "ai.model", value: "nobody" });
    expect([refused.code, refused.message]).toEqual(["ECONFIG", 'unknown provider "nobody"']);
    const alone = await home.refusal("config.set", { key: "ai.provider", value: "script" });
    expect([alone.code, alone.hints]).toEqual(["ECONFIG", ["gsv config set ai.model script:/path/to/file"]]);
    const script = join(home.directory, "run", "answers.jsonl");
    await Bun.write(script, `${JSON.stringify({ text: "from the script", repeat: 9 })}\n`);
    await set(home.sys, "ai.model", `script:${script}`);
    await home.say("hello");
    expect((await home.outline(INIT)).at(-1)).toBe("assistant: from the script");
    const info = { clientId: "c9", version: "0", cwd: "/", env: { GSV_MODEL: "offline" } };
    const offline = await home.kernel.accept(info);
    const { runId } = await offline.call<{ runId: string }>("proc.send", { message: "hello" });
    await home.ended(runId);
    expect((await home.outline(INIT)).at(-1)).not.toContain("from the script");
  });
});

describe("permissions", () => {
  test("an unknown key is refused with the nearest names and a wrong value with the valid ones, both with 78", async () => {
    await using home = await TestKernel.boot();
    const unknown = await home.refusal("config.set", { key: "compaction.reservTokens", value: "1" });
    expect(exitStatusOf(unknown)).toBe(78);
    expect(unknown.hints[0]).toBe("did you mean compaction.reserveTokens");
    expect(exitStatusOf(await home.refusal("config.get", { key: "__proto__" }))).toBe(78);
    const wrong = await home.refusal("config.set", { key: "ai.reasoning", value: "a lot" });
    expect(exitStatusOf(wrong)).toBe(78);
    expect(wrong.message).toContain("one of medium, off, minimal");
  });

  test("only root changes the home's settings and the keys that only the home has", async () => {
    await using home = await TestKernel.boot();
    for (const args of [
      { key: "ai.maxTokens", value: "9", system: true },
      { key: "kernel.idleMs", value: "9" },
      { key: "kernel.idleMs", value: "9", system: true },
      { key: "retention.archivesDays", value: "1" },
    ]) {
      expect((await home.refusal("config.set", args)).code).toBe("EPERM");
    }
    expect(stored(home)).toEqual({});
    await set(home.person(0), "retention.archivesDays", "30", { system: true });
    expect(await get(home.sys, "retention.archivesDays")).toMatchObject({ value: 30, layer: "system" });
  });

  test("only root sees or changes a stranger's settings; you may change your own agent's", async () => {
    await using home = await TestKernel.boot();
    const bob = await addHuman(home, "bob");
    await set(home.sys, "ai.maxTokens", "11");
    expect(await get(bob.sys, "ai.maxTokens")).toMatchObject({ layer: "default" });
    for (const uid of [1000, 4711]) {
      const seen = await home.refusal("config.get", { key: `users/${uid}/ai/max_tokens` }, bob.sys);
      expect([seen.code, seen.message]).toEqual(["EPERM", `only root and uid ${uid} see the settings of uid ${uid}`]);
      const args = { key: `users/${uid}/ai/max_tokens`, value: "1" };
      expect((await home.refusal("config.set", args, bob.sys)).code).toBe("EPERM");
    }
    await set(home.sys, "users/1001/ai/max_tokens", "5");
    await set(home.person(0), "users/2000/ai/max_tokens", "6");
    const nobody = await home.refusal("config.set", { key: "users/4711/ai/max_tokens", value: "6" }, home.person(0));
    expect(nobody.code).toBe("ENOENT");
    expect(await get(bob.sys, "ai.maxTokens")).toMatchObject({ value: 6, layer: "user" });
    expect(stored(home)["users/1001/ai/max_tokens"]).toBe("5");
  });

  test("a process sees its owner's settings and cannot change any of them", async () => {
    await using home = await TestKernel.boot();
    await set(home.sys, "ai.maxTokens", "11");
    const inside = await home.insideOf(INIT);
    expect(await get(inside, "ai.maxTokens")).toMatchObject({ value: 11, layer: "user" });
    for (const [call, args] of [
      ["config.set", { key: "ai.maxTokens", value: "12" }],
      ["config.unset", { key: "ai.maxTokens" }],
      ["config.apply", { changes: { "ai.maxTokens": null } }],
    ] as const) {
      expect((await home.refusal(call, args, inside)).code).toBe("EPERM");
    }
    expect(await get(home.sys, "ai.maxTokens")).toMatchObject({ value: 11 });
  });

  test("several changes are applied together or not at all", async () => {
    await using home = await TestKernel.boot();
    await set(home.sys, "ai.maxTokens", "11");
    const changes = { "ai.maxTokens": null, "ai.reasoning": "high", "compaction.enabled": "perhaps" };
    expect((await home.refusal("config.apply", { changes })).code).toBe("ECONFIG");
    expect(stored(home)).toEqual({ "users/1000/ai/max_tokens": "11" });
    await home.sys.call("config.apply", { changes: { ...changes, "compaction.enabled": "no" } });
    expect(stored(home)).toEqual({ "users/1000/ai/reasoning": "high", "users/1000/compaction/enabled": "false" });
  });
});

describe("a secret", () => {
  const KEY = "sk-canary-0123456789";

  test("reads back as set, is stored in a file that only its owner can read, and is deleted when unset", async () => {
    await using home = await TestKernel.boot();
    process.umask(0o000);
    await set(home.sys, "ai.apiKey", KEY).finally(() => process.umask(0o022));
    const shown = `set (sha256:${new Bun.CryptoHasher("sha256").update(KEY).digest("hex").slice(0, 4)}…)`;
    expect(await get(home.sys, "ai.apiKey")).toMatchObject({ value: shown, shown, layer: "user" });
    expect(JSON.stringify(await home.sys.call<object>("config.list", {}))).not.toContain("canary");
    expect(JSON.stringify(await get(await home.insideOf(INIT), "ai.apiKey"))).not.toContain("canary");
    const file = join(home.paths.secretsDir, "users.1000.ai.api_key");
    expect(readdirSync(home.paths.secretsDir)).toEqual(["users.1000.ai.api_key"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(stored(home))).not.toContain("canary");
    await home.sys.call("config.unset", { key: "ai.apiKey" });
    expect(existsSync(file)).toBe(false);
    expect(await get(home.sys, "ai.apiKey")).toMatchObject({ shown: "not set", layer: "default" });
  });

  test("is redacted in errors, the audit log and the log of calls, also by the next kernel", async () => {
    await using home = await TestKernel.boot();
    await set(home.sys, "ai.apiKey", KEY);
    for (const round of ["the kernel it was told", "the next one"]) {
      const inside = await home.insideOf(INIT);
      const missing = await home.refusal("fs.read", { path: `/tmp/${KEY}` }, inside);
      expect(`${round}: ${missing.message} ${missing.hints.join()}`).not.toContain(KEY);
      expect(missing.message).toContain("[redacted]");
      await home.refusal(KEY, {}, inside);
      const traced = await home.sys.call<object>("proc.trace", { pid: INIT });
      expect(JSON.stringify(traced)).toContain("[redacted]");
      expect(JSON.stringify(traced)).not.toContain(KEY);
      const audit = JSON.stringify(inKernelDb(home, (db) => db.query("SELECT * FROM audit").all()));
      expect(audit).toContain("[redacted]");
      expect(audit).not.toContain(KEY);
      await home.restart();
    }
  });

  test("is redacted in the kernel's log, also if only a client's environment contains it", async () => {
    const inEnv = "sk-ant-canary-in-the-environment";
    await using home = await TestKernel.boot({ env: { ANTHROPIC_API_KEY: inEnv } });
    await set(home.sys, "ai.apiKey", KEY);
    for (const value of [KEY, inEnv]) {
      home.kernel.log(`it said: ${JSON.stringify({ key: value })} ${Buffer.from(value).toString("base64")}`);
      expect((await home.refusal("proc.get", { pid: value })).message).toBe("no such process: [redacted]");
    }
    expect(home.faults).toHaveLength(2);
    for (const line of home.faults) expect(line).not.toMatch(/canary|Y2FuYX|NhbmFye|jYW5hcn/);
    home.faults.length = 0;
  });

  test("an error about a secrets file that others can read names the command to fix it, and the kernel still starts", async () => {
    await using home = await TestKernel.boot();
    await set(home.sys, "ai.apiKey", KEY);
    const file = join(home.paths.secretsDir, "users.1000.ai.api_key");
    Bun.spawnSync(["chmod", "644", file]);
    await home.restart();
    expect(home.faults).toEqual([`secret file readable by others: ${file}`]);
    home.faults.length = 0;
  });
});
