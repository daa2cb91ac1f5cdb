// gsv on the command line, against model servers on loopback: choice of model and key, retries, final errors and exit statuses.

import { describe, expect, test } from "bun:test";
import type { Env } from "../support/home.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { CHAT, openAi, reply, WiredKernel, withServer } from "../support/wire-home.ts";

describe.concurrent("a key and an address in the environment are enough", () => {
  const FLOWS: readonly (readonly [wire: string, model: string, env: (url: string) => Env, path: string])[] = [
    [CHAT, "openai/m", (url) => ({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1` }), "/v1/chat/completions"],
    ["anthropic", "anthropic/m", (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }), "/v1/messages"],
    ["ollama", "ollama/m", (url) => ({ OLLAMA_HOST: url }), "/api/chat"],
  ];

  test.each(FLOWS)(
    "%s answers as %s",
    async (wire, model, env, path) => {
      await withServer(
        async (home, server) => {
          const { status, stdout, stderr } = await home.gsv(["chat", "--stream", "--model", model, "hi"], {
            env: env(server.url),
          });
          expect([status, stdout, stderr.includes("offline")]).toEqual([0, "hello there\n", false]);
          expect(server.requests.map((each) => [each.path, each.json.model])).toEqual([[path, "m"]]);
          const last = JSON.parse((await home.gsv(["proc", "history", "--json"])).stdout.trim().split("\n").at(-1)!);
          expect(last).toMatchObject({ role: "assistant", content: { text: "hello there" } });
        },
        reply(wire, { text: ["hello ", "there"] }),
      );
    },
    30_000,
  );

  test("a tool call of a model runs, and the model gets its result", async () => {
    await withServer(async (home, server) => {
      server.will(
        reply(CHAT, {
          calls: [{ name: "Write", json: ['{"path":"~/n.md",', '"content":"milk"}'] }],
          usage: { input: 10, output: 2 },
        }),
        reply(CHAT, { text: ["written"], usage: { input: 30, output: 4, cacheRead: 10 } }),
      );
      const { stdout } = await home.gsv(["chat", "--json", "--model", "openai/m", "note milk"], openAi(server));
      const result = JSON.parse(stdout.trim().split("\n").at(-1)!);
      expect(result).toMatchObject({
        status: "ok",
        text: "written",
        model: "openai/m",
        usage: { input: 40, output: 6, cacheRead: 10 },
      });
      expect((await home.gsv(["cat", "~/n.md"])).stdout).toContain("milk");
      expect(server.requests[1]!.body).toStartWith(server.requests[0]!.body.slice(0, -2));
    });
  }, 30_000);
});

describe("choice of the model", () => {
  test("a key alone selects its provider; the process's model overrides it, and --model overrides both", async () => {
    await using home = await WiredKernel.boot();
    const { server } = home;
    const said = { env: home.env({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url }) };
    server.will(reply("anthropic", { text: ["from anthropic"] }));
    expect((await home.gsv(["chat", "hi"], said)).stdout).toBe("from anthropic\n");
    expect((await home.gsv(["model", "init:1000", "openai/a"], said)).stdout).toBe("openai/a\n");
    expect((await home.gsv(["chat", "hi"], said)).stdout).toBe("hello there\n");
    expect((await home.gsv(["chat", "--model", "openai/b", "hi"], said)).status).toBe(0);
    expect(server.requests.map((each) => each.json.model)).toEqual([expect.stringContaining("claude"), "a", "b"]);
    expect((await home.gsv(["model", "init:1000", ""], said)).stdout).toContain("(account default)");
    const model = async (env: object, flags = {}) =>
      (await home.gsv(["model", "init:1000"], { env: { ...said.env, ...env }, flags })).stdout;
    expect(await model({ GSV_MODEL: "openai/c" })).toBe("openai/c (from the environment)\n");
    expect(await model({}, { "ai.model": "openai/d" })).toBe("openai/d (from --set)\n");
    expect((await home.gsv(["chat", "--model", "nobody/x", "hi"], said)).status).toBe(78);
  });

  test("settings work like the environment: address, key, provider and model", async () => {
    await using home = await WiredKernel.boot(undefined, { quickTime: true });
    const { server } = home;
    await home.gsv(["config", "set", "ai.baseUrl", `${server.url}/v1`]);
    await home.gsv(["config", "set", "ai.apiKey"], { stdin: KEY });
    await home.gsv(["config", "set", "ai.model", "openai/mine"]);
    expect((await home.gsv(["chat", "hi"])).stdout).toBe("hello there\n");
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: `Bearer ${KEY}` },
      json: { model: "mine" },
    });
    // Settings of one provider are not sent to another.
    const other = { env: { ANTHROPIC_BASE_URL: server.url } };
    const { status, stderr } = await home.gsv(["chat", "--model", "anthropic/m", "hi"], other);
    expect(JSON.stringify(server.requests.slice(1))).not.toContain(KEY);
    expect([status !== 0, stderr.includes(KEY)]).toEqual([true, false]);
  });

  test("a key without a provider is sent nowhere, until an address names its owner", async () => {
    await using home = await WiredKernel.boot();
    const { server } = home;
    await home.gsv(["config", "set", "ai.apiKey"], { stdin: KEY });
    expect((await home.gsv(["chat", "hi"])).stderr).toContain("no model configured");
    await home.gsv(["config", "set", "ai.baseUrl", `${server.url}/v1`]);
    expect((await home.gsv(["chat", "--model", "openai/m", "hi"])).stdout).toBe("hello there\n");
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test("a running Ollama is used without a configured provider, with the first model it lists", async () => {
    await using home = await WiredKernel.boot(reply("ollama", { text: ["hello there"] }));
    const { server } = home;
    server.will({ type: "application/json", body: '{"models":[{"name":"small:1b"},{"name":"big"}]}' });
    const { stdout } = await home.gsv(["chat", "--json", "hi"], { env: { OLLAMA_HOST: server.url } });
    expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({
      text: "hello there",
      model: "ollama/small:1b",
    });
    expect((await home.gsv(["chat", "hi"], { env: { OLLAMA_HOST: "127.0.0.1:1" } })).stderr).toContain(
      "no model configured",
    );
  });

  test("a server at a custom address without a configured model is asked for its list", async () => {
    await using home = await WiredKernel.boot();
    const { server } = home;
    server.will({ type: "application/json", body: '{"data":[{"id":"local-one"},{"id":"local-two"}]}' });
    const { stdout } = await home.gsv(["chat", "--json", "hi"], { env: home.env() });
    expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({
      text: "hello there",
      model: "openai/local-one",
    });
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/models", "/v1/chat/completions"]);
  });

  test("a fallback model answers when the chosen one cannot", async () => {
    await using home = await WiredKernel.boot();
    const { server } = home;
    await home.gsv(["config", "set", "ai.fallback", '["openai/second"]']);
    const said = { env: home.env({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url }) };
    server.will(WIRES.anthropic!.error("quota"));
    const { stdout, stderr } = await home.gsv(["chat", "--model", "anthropic/first", "hi"], said);
    expect([stdout, stderr.includes("trying openai/second instead")]).toEqual(["hello there\n", true]);
  });
});

describe("failures", () => {
  test("529 three times, then success, is answered once", async () => {
    await using home = await WiredKernel.boot(undefined, { quickTime: true });
    const { server } = home;
    server.will(...Array.from({ length: 3 }, () => WIRES[CHAT]!.error("overloaded")));
    const { status, stdout } = await home.gsv(["chat", "--model", "openai/m", "hi"], { env: home.env() });
    expect([status, stdout, server.requests.length]).toEqual([0, "hello there\n", 4]);
  });

  test("a missing key exits 4 and is named; no server is asked", async () => {
    await using home = await WiredKernel.boot();
    const { server } = home;
    const { status, stderr } = await home.gsv(["chat", "--model", "anthropic/m", "hi"]);
    expect([status, stderr.includes("gsv auth provider anthropic"), server.requests.length]).toEqual([4, true, 0]);
  });
});
