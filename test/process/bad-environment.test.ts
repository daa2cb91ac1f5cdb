// What is wrong in the environment or with a key is found before anything is started or sent: one line, and the exit status that says which.

import { afterAll, describe, expect, test } from "bun:test";
import { configFrom } from "../../src/abi/config/config.ts";
import { homeFrom } from "../../src/paths.ts";
import { TestHome } from "../support/home.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { WireServer } from "../support/wire-server.ts";

const CHAT = WIRES["openai chat completions"]!;
const server = new WireServer(() => ({ type: CHAT.type, body: CHAT.body({ text: ["hello"] }) }));
const home = new TestHome({ env: { OPENAI_BASE_URL: `${server.url}/v1`, GSV_MODEL: "openai/m" } });
afterAll(async () => {
  server.stop();
  await home.dispose();
});

describe("a key that no server could get", () => {
  test.each([
    ["line breaks", "sk-12345678\n90"],
    ["blanks", "sk-12345678 90"],
    ["quotes", '"sk-1234567890"'],
    ["characters other than ASCII", "sk-1234567890…"],
  ])("with %s ends the run at once with 4, and nothing is sent", async (fault, key) => {
    const { status, stderr } = await home.gsv(["chat", "--new", "hi"], { env: { OPENAI_API_KEY: key } });
    expect([status, stderr]).toEqual([4, expect.stringContaining(`the API key for openai contains ${fault}`)]);
    expect(stderr).not.toContain("12345678");
    expect(server.requests).toEqual([]);
    const kept = await home.gsv(["config", "set", "apiKeys.openai"], { stdin: key });
    expect([kept.status, kept.stderr]).toEqual([78, expect.stringContaining(`must be without ${fault}`)]);
    expect(kept.stderr).not.toContain("12345678");
  });
});

describe("the environment", () => {
  test("a clock file that cannot be read is named in one line", async () => {
    expect(await home.gsv(["ps"], { env: { GSV_CLOCK: "/nonexistent/clock" } })).toMatchObject({
      status: 78,
      stderr: "gsv: GSV_CLOCK: cannot read the file /nonexistent/clock\n",
    });
  });

  test("a HOME that does not exist is refused, unless GSV_HOME says where", () => {
    expect(() => homeFrom(undefined, "/nonexistent/home")).toThrow("HOME is /nonexistent/home, which does not exist");
    expect(homeFrom("/somewhere/home", "/nonexistent/home")).toBe("/somewhere/home");
  });

  test("an empty HOME is refused with 78, and no home is made elsewhere", async () => {
    expect(() => homeFrom(undefined, "")).toThrow("HOME is empty");
    const { status, stderr } = await home.gsv(["ps"], { env: { HOME: "", GSV_HOME: "" } });
    expect([status, stderr.split("\n")[0]]).toEqual([78, "gsv: HOME is empty"]);
  });

  test("a number that is none is refused with 78, and the variable is named", async () => {
    for (const text of ["abc", "-1", "0", "1.5", "99999999999"])
      expect(() => configFrom({ GSV_KERNEL_IDLE_MS: text })).toThrow(
        "GSV_KERNEL_IDLE_MS must be a whole number from 1 to",
      );
    expect(configFrom({ GSV_KERNEL_IDLE_MS: "5000", GSV_KERNEL_TERM_MS: "" })).toEqual({ "kernel.idleMs": 5000 });
    const { status, stderr } = await home.gsv(["ps"], { env: { GSV_KERNEL_IDLE_MS: "soon" } });
    expect([status, stderr.split("\n")[0]]).toEqual([
      78,
      'gsv: GSV_KERNEL_IDLE_MS must be a whole number from 1 to 86400000, not "soon"',
    ]);
  });
});

test("of several answers that a server sends at once, the first is printed", async () => {
  const choice = (index: number, content: string) => ({ index, delta: { content }, finish_reason: null });
  const chunks = [
    { choices: [choice(0, "hel"), choice(1, "no")] },
    { choices: [choice(1, "pe")] },
    { choices: [choice(0, "lo")] },
    { choices: [{ index: 1, delta: {}, finish_reason: "stop" }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ].map((chunk) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", ...chunk })}\n\n`);
  server.will({ type: CHAT.type, body: `${chunks.join("")}data: [DONE]\n\n` });
  const { stdout } = await home.gsv(["chat", "--new", "hi"], { env: { OPENAI_API_KEY: "key-1234567890" } });
  expect(stdout).toBe("hello\n");
});
