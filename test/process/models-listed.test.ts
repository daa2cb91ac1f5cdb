// Keys and models on the command line: stored and tested, listed from their servers and from gsv's cache, waited for.

import { describe, expect, test } from "bun:test";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { CHAT, reply, WiredKernel, withServer } from "../support/wire-home.ts";
import type { WireReply } from "../support/wire-server.ts";

describe("keys and models on the command line", () => {
  test("the doctor tests a stored key and reports the result with advice", async () => {
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
        [WIRES[CHAT]!.error("absent"), "model", "gsv models --provider openai"],
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

  test("models are listed from their server with gsv's data, and without a server from gsv's data alone", async () => {
    await using home = await WiredKernel.boot();
    const { server } = home;
    server.will({
      type: "application/json",
      body: '{"data":[{"id":"gpt-4.1"},{"id":"\\u001b[31mred","context_length":9000}]}',
    });
    const listed = await home.gsv(["models", "--provider", "openai", "--json"], { env: home.env() });
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

  test("the server's data about models is stored: requests use it, and the list shows it when the server is gone", async () => {
    const told = {
      id: "lab/new-model",
      context_length: 64_000,
      top_provider: { max_completion_tokens: 1234 },
      pricing: { prompt: "0.0000011", completion: "0.0000044", input_cache_read: "0.00000011" },
      architecture: { input_modalities: ["text", "image"] },
    };
    await using home = await WiredKernel.boot();
    const { server } = home;
    server.will({ type: "application/json", body: JSON.stringify({ data: [told] }) });
    const said = { env: home.env() };
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
    await home.home.restart();
    server.will(reply(CHAT, { text: ["yes"], usage: { input: 1_000_000, output: 0 } }));
    const answered = await home.gsv(["chat", "--json", "--model", "openai/lab/new-model", "hi"], said);
    expect(server.requests.at(-1)?.json.max_tokens).toBe(1234);
    expect(JSON.parse(answered.stdout.trim().split("\n").at(-1)!)).toMatchObject({ text: "yes", costUsd: 1.1 });
    server.will({ status: 503, type: "application/json", body: "{}" });
    const kept = await home.gsv(["models", "--provider", "openai", "--json"], said);
    expect(JSON.parse(kept.stdout)).toMatchObject(row);
    expect(kept.stderr).toContain("showing the list of");
  });

  test("429 with retry-after waits, and ps shows the reason; a new process keeps its model", async () => {
    await using home = await WiredKernel.boot();
    const { server } = home;
    server.will({ ...WIRES[CHAT]!.error("throttle"), headers: { "retry-after": "600" } });
    const asked = home.gsv(["chat", "--new", "--model", "openai/m", "hi"], { env: home.env() });
    let row = "";
    while (!row.includes("retrying openai/m at")) row = (await home.gsv(["ps"])).stdout;
    expect(row).toMatch(/task:\S+ .*running.*retrying openai\/m at/);
    const pid = /task:[a-z0-9]{6}/.exec(row)?.[0] ?? "";
    expect((await home.gsv(["model", pid], { env: home.env() })).stdout).toBe("openai/m\n");
    expect((await home.gsv(["proc", "abort", pid])).status).toBe(0);
    expect((await asked).status).toBe(130);
    // The wait applies to every call of that model with that key; another model is asked at once.
    expect((await home.gsv(["send", "--pid", pid, "--model", "openai/n", "more"], { env: home.env() })).status).toBe(0);
    expect((await home.gsv(["wait", pid])).status).toBe(0);
    expect(server.requests.at(-1)?.json.model).toBe("n");
  });
});
