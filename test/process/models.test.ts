// gsv as a person runs it, against model servers on loopback: who is chosen and with which key, what is asked again, what ends it and with
// which exit status.

import { describe, expect, test } from "bun:test";
import { type Env, TestHome } from "../support/home.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY, type Spoken } from "../support/wire-format.ts";
import { type WireReply, WireServer } from "../support/wire-server.ts";

function reply(wire: string, spoken: Spoken): WireReply {
  const { type, body } = WIRES[wire]!;
  return { type, body: body(spoken) };
}

const CHAT = "openai chat completions";

async function withServer(
  work: (home: TestHome, server: WireServer) => Promise<void>,
  usual: WireReply = reply(CHAT, { text: ["hello ", "there"] }),
): Promise<void> {
  using server = new WireServer(() => usual);
  const home = new TestHome();
  try {
    await work(home, server);
  } finally {
    await home.dispose();
  }
}

function openAi(server: WireServer, more: Env = {}): { readonly env: Env } {
  return { env: { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${server.url}/v1`, ...more } };
}

describe("a key and an address in the environment are all it takes", () => {
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

  test("a tool call of a model is carried out, and its result asked about", async () => {
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

describe("who answers", () => {
  test("a key alone chooses its provider; a model of the process wins over it, --model over both", async () => {
    await withServer(async (home, server) => {
      const said = openAi(server, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
      server.will(reply("anthropic", { text: ["from anthropic"] }));
      expect((await home.gsv(["chat", "hi"], said)).stdout).toBe("from anthropic\n");
      expect((await home.gsv(["model", "init:1000", "openai/a"], said)).stdout).toBe("openai/a\n");
      expect((await home.gsv(["chat", "hi"], said)).stdout).toBe("hello there\n");
      expect((await home.gsv(["chat", "--model", "openai/b", "hi"], said)).status).toBe(0);
      expect(server.requests.map((each) => each.json.model)).toEqual([expect.stringContaining("claude"), "a", "b"]);
      expect((await home.gsv(["model", "init:1000", ""], said)).stdout).toContain("(by the account)");
      expect((await home.gsv(["chat", "--model", "nobody/x", "hi"], said)).status).toBe(78);
    });
  }, 30_000);

  test("settings do what the environment does: address, key, provider and model", async () => {
    await withServer(async (home, server) => {
      await home.gsv(["config", "set", "ai.baseUrl", `${server.url}/v1`]);
      await home.gsv(["config", "set", "ai.apiKey"], { stdin: KEY });
      await home.gsv(["config", "set", "ai.model", "openai/mine"]);
      expect((await home.gsv(["chat", "hi"])).stdout).toBe("hello there\n");
      expect(server.requests[0]).toMatchObject({
        headers: { authorization: `Bearer ${KEY}` },
        json: { model: "mine" },
      });
      // What was said for one provider is not told another.
      const other = { env: { ANTHROPIC_BASE_URL: server.url } };
      const { status, stderr } = await home.gsv(["chat", "--model", "anthropic/m", "hi"], other);
      expect(JSON.stringify(server.requests.slice(1))).not.toContain(KEY);
      expect([status !== 0, stderr.includes(KEY)]).toEqual([true, false]);
    });
  }, 30_000);

  test("a key that was set for nobody is sent to nobody, until an address says whose it is", async () => {
    await withServer(async (home, server) => {
      await home.gsv(["config", "set", "ai.apiKey"], { stdin: KEY });
      expect((await home.gsv(["chat", "hi"])).stderr).toContain("offline");
      await home.gsv(["config", "set", "ai.baseUrl", `${server.url}/v1`]);
      expect((await home.gsv(["chat", "--model", "openai/m", "hi"])).stdout).toBe("hello there\n");
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    });
  }, 30_000);

  test("an Ollama that answers is asked when nobody is named, with the model it lists first", async () => {
    await withServer(
      async (home, server) => {
        server.will({ type: "application/json", body: '{"models":[{"name":"small:1b"},{"name":"big"}]}' });
        const { stdout } = await home.gsv(["chat", "--json", "hi"], { env: { OLLAMA_HOST: server.url } });
        expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({
          text: "hello there",
          model: "ollama/small:1b",
        });
        expect((await home.gsv(["chat", "hi"], { env: { OLLAMA_HOST: "127.0.0.1:1" } })).stderr).toContain("offline");
      },
      reply("ollama", { text: ["hello there"] }),
    );
  }, 30_000);

  test("a server at another address that has no model named is asked which it has", async () => {
    await withServer(async (home, server) => {
      server.will({ type: "application/json", body: '{"data":[{"id":"local-one"},{"id":"local-two"}]}' });
      const { stdout } = await home.gsv(["chat", "--json", "hi"], openAi(server));
      expect(JSON.parse(stdout.trim().split("\n").at(-1)!)).toMatchObject({
        text: "hello there",
        model: "openai/local-one",
      });
      expect(server.requests.map(({ path }) => path)).toEqual(["/v1/models", "/v1/chat/completions"]);
    });
  }, 30_000);

  test("another model stands in when the one that is meant cannot be reached", async () => {
    await withServer(async (home, server) => {
      await home.gsv(["config", "set", "ai.fallback", '["openai/second"]']);
      const said = openAi(server, { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
      server.will(WIRES.anthropic!.error("quota"));
      const { stdout, stderr } = await home.gsv(["chat", "--model", "anthropic/first", "hi"], said);
      expect([stdout, stderr.includes("openai/second stands in")]).toEqual(["hello there\n", true]);
    });
  }, 30_000);
});

describe("what goes wrong", () => {
  test("529 three times, then success is answered, once", async () => {
    await withServer(async (home, server) => {
      server.will(...Array.from({ length: 3 }, () => WIRES[CHAT]!.error("overloaded")));
      const { status, stdout } = await home.gsv(["chat", "--model", "openai/m", "hi"], openAi(server));
      expect([status, stdout, server.requests.length]).toEqual([0, "hello there\n", 4]);
    });
  }, 60_000);

  test.each([
    ["auth", 4],
    ["quota", 6],
    ["request", 1],
    ["overflow", 6],
  ] as const)(
    "%s exits %d, is not asked again, and says no key",
    async (kind, exit) => {
      await withServer(async (home, server) => {
        server.will(WIRES[CHAT]!.error(kind));
        const { status, stderr } = await home.gsv(
          ["chat", "--model", "openai/m", "hi"],
          openAi(server, { OPENAI_API_KEY: KEY }),
        );
        expect([status, server.requests.length, stderr.includes(KEY)]).toEqual([exit, 1, false]);
      });
    },
    30_000,
  );

  test("no key exits 4 and names what is missing; nobody is asked", async () => {
    await withServer(async (home, server) => {
      const { status, stderr } = await home.gsv(["chat", "--model", "anthropic/m", "hi"]);
      expect([status, stderr.includes("gsv auth provider anthropic"), server.requests.length]).toEqual([4, true, 0]);
    });
  }, 30_000);
});

describe("keys and models on the command line", () => {
  test("a key that is kept is tried by the doctor, who says what came of it and what to do", async () => {
    await withServer(async (home, server) => {
      const env = { OPENAI_BASE_URL: `${server.url}/v1`, GSV_MODEL: "openai/m" };
      expect((await home.gsv(["auth", "provider", "openai"], { stdin: `${KEY}\n` })).stdout).toContain("set (sha256:");
      const well = await home.gsv(["doctor", "--provider"], { env });
      expect([well.status, well.stdout]).toEqual([
        0,
        expect.stringMatching(/^ok {2}provider {2}openai\/\S+ at http:\S+ answered in \d+ ms/),
      ]);
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      server.will(WIRES[CHAT]!.error("auth"));
      const refused = await home.gsv(["doctor", "--provider"], { env });
      expect([refused.status, refused.stdout.includes(KEY)]).toEqual([1, false]);
      expect(refused.stdout).toContain("gsv auth provider openai keeps a key");
      const explained: readonly (readonly [WireReply, string, string])[] = [
        [WIRES[CHAT]!.error("throttle"), "throttle", "wait"],
        [WIRES[CHAT]!.error("quota"), "quota", "the account at openai"],
        [WIRES[CHAT]!.error("overloaded"), "outage", "ai.fallback"],
        [{ type: "text/html", body: "<html>pay</html>" }, "network", server.url],
        [WIRES[CHAT]!.error("absent"), "request", "gsv models --provider openai"],
        [{ body: "data: {no\n\n" }, "protocol", "ai.providerStyle"],
      ];
      for (const [reply, failureClass, fix] of explained) {
        server.will(reply);
        const { status, stdout } = await home.gsv(["doctor", "--provider"], { env });
        const told = [stdout.includes(`(${failureClass})`), stdout.includes(fix)];
        expect([failureClass, status, ...told]).toEqual([failureClass, 1, true, true]);
      }
      expect((await home.gsv(["doctor", "--provider", "--set", "ai.model=offline"])).status).toBe(0);
      for (const args of [
        ["nobody"],
        ["openai", "--env", "NONE"],
        ["openai", "--helper", "exit 3"],
        ["openai", "--helper", ":"],
      ]) {
        expect([args, (await home.gsv(["auth", "provider", ...args])).status]).toEqual([args, 2]);
      }
    });
  }, 60_000);

  test("models are listed by their server, with what gsv knows of them, and without one as far as it knows", async () => {
    await withServer(async (home, server) => {
      server.will({
        type: "application/json",
        body: '{"data":[{"id":"gpt-4.1"},{"id":"\\u001b[31mred","context_length":9000}]}',
      });
      const listed = await home.gsv(["models", "--provider", "openai", "--json"], openAi(server));
      const rows = listed.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(rows).toMatchObject([
        { model: "openai/gpt-4.1", inputUsd: 2, from: "server" },
        { windowTokens: 9000, inputUsd: null },
      ]);
      const known = await home.gsv(["models"]);
      expect(known.stdout).toContain("anthropic/claude");
      expect(known.stdout).not.toContain("\u001b");
      expect((await home.gsv(["models", "--provider", "anthropic"])).stderr).toContain("gsv auth provider anthropic");
    });
  }, 60_000);

  test("what a server says of its models is kept: it counts for requests, and is listed when the server is gone", async () => {
    const told = {
      id: "lab/new-model",
      context_length: 64_000,
      top_provider: { max_completion_tokens: 1234 },
      pricing: { prompt: "0.0000011", completion: "0.0000044", input_cache_read: "0.00000011" },
      architecture: { input_modalities: ["text", "image"] },
    };
    await withServer(async (home, server) => {
      server.will({ type: "application/json", body: JSON.stringify({ data: [told] }) });
      const said = openAi(server);
      const row = {
        model: "openai/lab/new-model",
        windowTokens: 64_000,
        outputTokens: 1234,
        price: { input: 1.1, output: 4.4, cacheRead: 0.11, cacheWrite: 1.1 },
        sees: true,
        thinks: null,
      };
      const listed = await home.gsv(["models", "--provider", "openai", "--json"], said);
      expect(JSON.parse(listed.stdout)).toMatchObject(row);
      await home.gsv(["kernel", "stop"]);
      server.will(reply(CHAT, { text: ["yes"], usage: { input: 1_000_000, output: 0 } }));
      const answered = await home.gsv(["chat", "--json", "--model", "openai/lab/new-model", "hi"], said);
      expect(server.requests.at(-1)?.json.max_tokens).toBe(1234);
      expect(JSON.parse(answered.stdout.trim().split("\n").at(-1)!)).toMatchObject({ text: "yes", costUsd: 1.1 });
      server.will({ status: 503, type: "application/json", body: "{}" });
      const kept = await home.gsv(["models", "--provider", "openai", "--json"], said);
      expect(JSON.parse(kept.stdout)).toMatchObject(row);
      expect(kept.stderr).toContain("listed as it was on");
    });
  }, 60_000);

  test("429 with retry-after waits, and ps says for what; a new process keeps its model", async () => {
    await withServer(async (home, server) => {
      server.will({ ...WIRES[CHAT]!.error("throttle"), headers: { "retry-after": "600" } });
      const asked = home.gsv(["chat", "--new", "--model", "openai/m", "hi"], openAi(server));
      let row = "";
      while (!row.includes("is asked again at")) row = (await home.gsv(["ps"])).stdout;
      expect(row).toMatch(/task:\S+ .*running.*openai\/m is asked again at/);
      const pid = /task:[a-z0-9]{6}/.exec(row)?.[0] ?? "";
      expect((await home.gsv(["model", pid], openAi(server))).stdout).toBe("openai/m\n");
      expect((await home.gsv(["proc", "abort", pid])).status).toBe(0);
      expect((await asked).status).toBe(130);
      expect((await home.gsv(["send", "--pid", pid, "more"], openAi(server))).status).toBe(0);
      expect((await home.gsv(["wait", pid])).status).toBe(0);
      expect(server.requests.at(-1)?.json.model).toBe("m");
    });
  }, 60_000);
});
