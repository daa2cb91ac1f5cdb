// Twelve secrets pass through every use of secrets in gsv, and through every mistake that could quote them. Then outputs, logs, databases,
// archives, objects and environments of children are searched, in every encoding of a value. No secret may be found outside its own file.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { filesBelow, Search } from "./support/canaries.ts";
import { type Env, TestHome } from "./support/home.ts";
import { oneIn, SEED } from "./support/soak.ts";

const ODD = "canary-7/q\\+~%&=-odd";
const IN_ENV = {
  ANTHROPIC_API_KEY: "sk-ant-canary-1-aaaaaaaaaa",
  OPENAI_API_KEY: "canary-2-bbbbbbbbbb",
  GEMINI_API_KEY: "AIcanary3cccccccccc",
  OPENROUTER_API_KEY: 'canary-4-"dddd\\dddd"',
};
const STORED = {
  "ai.apiKey": "canary-5-eeeeeeeeee",
  "apiKeys.anthropic": "-----BEGIN-canary-6-----ffff-gggg-----END",
  "apiKeys.openai": ODD,
  "apiKeys.google": "canary_8_hhhhhhhhhh",
  "users/1001/ai/api_key": "canary.9.iiiiiiiiii",
};
const REPLACED = "canary-10-jjjjjjjjjj";
const TAKEN_BACK = "canary-11-kkkkkkkkkk";
const AS_ARGUMENT = "canary-12-llllllllll";
const ALL = [...Object.values(IN_ENV), ...Object.values(STORED), REPLACED, TAKEN_BACK, AS_ARGUMENT];

/** Ways to make gsv quote its input. The value stands in place of a path, name, pid, id, key or value. */
function mistakes(value: string): string[][] {
  return [
    [value],
    ["chat", `--${value}`],
    ["proc", value],
    ["proc", "history", "--pid", value],
    ["send", "--pid", value, "hello"],
    ["ps", "--set", value],
    ["ps", "--set", `ai.apiKey=${value}`],
    ["ps", "--set", `compaction.enabled=${value}`],
    ["fs", "write", "/sys/users/1000/config/compaction.enabled", value],
    ["fs", "write", `/sys/config/${value}`, "x"],
    ["kill", value],
    ["wait", value],
    ["spawn", "--as", value],
    ["approve", value],
    ["archive", "show", value],
    ["fs", "read", `/home/sam/${value}`],
    ["fs", "read", `~${value}/x`],
    ["fs", "write", `/root/${value}`, "text"],
    ["config", "get", value],
    ["config", "set", value, "x"],
    ["config", "set", "ai.reasoning", value],
    ["config", "set", "ai.maxTokens", value],
    ["config", "set", "ai.model", value],
    ["proc", "list", "--limit", value],
  ];
}

async function secretsAreSet(home: TestHome, gsv: (args: string[], stdin?: string) => Promise<number>): Promise<void> {
  for (const [key, value] of Object.entries({ ...STORED, "apiKeys.openrouter": REPLACED })) {
    expect(await gsv(["config", "set", key], `${value}\n`)).toBe(0);
  }
  expect(await gsv(["fs", "write", "/sys/users/1000/config/ai.apiKey", "-"], STORED["ai.apiKey"])).toBe(0);
  expect(await gsv(["config", "set", "apiKeys.openrouter"], TAKEN_BACK)).toBe(0);
  expect(await gsv(["config", "unset", "apiKeys.openrouter"])).toBe(0);
  expect(await gsv(["config", "set", "apiKeys.openrouter", AS_ARGUMENT])).toBe(2);
  expect(readdirSync(home.paths.secretsDir).length).toBe(Object.keys(STORED).length);
}

async function everythingElse(gsv: (args: string[], stdin?: string) => Promise<number>): Promise<void> {
  for (const key of [...Object.keys(STORED), "apiKeys.openrouter"]) {
    for (const flag of ["-v", "--json"]) expect(await gsv(["config", "get", key, flag])).toBe(0);
  }
  await gsv(["config", "list", "-v"]);
  await gsv(["config", "list", "--json"]);
  expect(await gsv(["fs", "read", "/sys/config/ai.apiKey"])).toBe(0);
  expect(await gsv(["config", "get", "-v", "ai.apiKey", "--set", "ai.model=offline"])).toBe(0);
  expect(await gsv(["config", "edit"])).toBe(0);
  expect(await gsv(["chat", "what is running"])).toBe(0);
  expect(await gsv(["chat", "--json", "write hello to ~/notes.md"])).toBe(0);
  expect(await gsv(["fs", "read", "~/notes.md"])).toBe(0);
  expect(await gsv(["fs", "search", "canary", "/"])).toBe(0);
  expect(await gsv(["proc", "trace", "init:1000", "--json"])).toBe(0);
  // A failed run, and everything that can be read of it.
  expect(await gsv(["chat", "--model", "script:/nowhere/at-all.jsonl", "does it fail?"])).toBe(78);
  for (const form of [[], ["--list"], ["--json"]]) expect(await gsv(["debug", ...form])).toBe(0);
  expect(await gsv(["bugreport", "-o", "-"])).toBe(0);
  expect(await gsv(["proc", "reset"])).toBe(0);
}

test("no secret is found outside its own file, in any encoding, after every use and every mistake", async () => {
  const home = new TestHome({ env: { ...(IN_ENV as Env), EDITOR: "cat", GSV_MODEL: "offline" } });
  const search = new Search(ALL);
  const gsv = async (args: string[], stdin?: string, env: Env = {}): Promise<number> => {
    const { status, stdout, stderr } = await home.gsv(args, { env, ...(stdin === undefined ? {} : { stdin }) });
    search.look(`stdout of gsv ${args[0]} ${args[1]}`, stdout);
    search.look(`stderr of gsv ${args[0]} ${args[1]}`, stderr);
    return status;
  };
  const lookAtProcesses = () => {
    for (const pid of home.processes) {
      search.look(`environment of ${pid}`, readFileSync(`/proc/${pid}/environ`));
      search.look(`arguments of ${pid}`, readFileSync(`/proc/${pid}/cmdline`));
    }
  };
  try {
    await secretsAreSet(home, gsv);
    await everythingElse(gsv);
    lookAtProcesses();
    // Each mistake with one of the values, in turn.
    for (const [nth, value] of [IN_ENV.OPENROUTER_API_KEY, STORED["ai.apiKey"], ODD].entries()) {
      for (const [index, args] of oneIn(3, [...mistakes(value).entries()], SEED + nth)) {
        expect(`${args} ${await gsv(index % 2 === 0 ? args : [...args, "--json"])}`).not.toBe(`${args} 0`);
      }
    }
    expect(await gsv(["kernel", "restart"])).toBe(0);
    lookAtProcesses();
    expect(await gsv(["fs", "read", `/home/${STORED["ai.apiKey"]}`])).not.toBe(0);
    expect(await gsv(["kernel", "stop"])).toBe(0);
    expect(await gsv(["config", "get", "ai.apiKey"])).toBe(0);
    expect(await gsv(["fs", "read", `/home/${ODD}`])).not.toBe(0);
    const inside = { GSV_KERNEL: "in-process" };
    expect(await gsv(["chat", "what is running"], undefined, inside)).toBe(0);
    expect(await gsv(["fs", "write", `/root/${ODD}`, "text"], undefined, inside)).not.toBe(0);

    const left = filesBelow(home.directory).filter((path) => !path.startsWith(home.paths.secretsDir));
    expect(left.filter((path) => path.endsWith(".db")).length).toBeGreaterThan(1);
    expect(left.filter((path) => path.endsWith(".gz")).length).toBeGreaterThan(0);
    for (const path of left) {
      const bytes = readFileSync(path);
      search.look(path, bytes);
      search.look(`name of ${path}`, path);
      if (path.endsWith(".gz")) search.look(`inside ${path}`, gunzipSync(bytes));
    }
    expect(search.hits).toEqual([]);
    // The search works: it finds the secrets in their own files.
    const own = new Search(Object.values(STORED));
    for (const path of filesBelow(home.paths.secretsDir)) own.look(path, readFileSync(path));
    expect(own.hits.length).toBeGreaterThanOrEqual(Object.keys(STORED).length);
  } finally {
    await home.dispose();
  }
}, 120_000);
