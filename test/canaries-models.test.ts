// Keys of model providers reach only their servers: no request body, history, log, database, archive, output or environment of a child has
// them, even if the server sends them back in every answer.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { filesBelow, Search } from "./support/canaries.ts";
import { type Env, TestHome } from "./support/home.ts";
import { samples } from "./support/soak.ts";
import { WIRES } from "./support/wire-bytes.ts";
import { type WireReply, type WireRequest, WireServer } from "./support/wire-server.ts";

const IN_ENV = "canary-env-1-aaaaaaaaaaaa";
const STORED = "canary-stored-2-bb\\bb+~%";
const BY_NAME = "canary-named-3-cccccccccc";
const PRINTED = "canary-printed-4-dddddddd";
const FED = "canary-fed-5-eeeeeeeeeeee";
const ALL = [IN_ENV, STORED, BY_NAME, PRINTED, FED];

/** The server's answer, and gsv's exit status. */
const ENDS = [
  [401, 4],
  [400, 1],
  [200, 75],
] as const;
/** Each server gets a different one; in a soak each gets all. */
const SEED = Number(process.env.GSV_SEED ?? Date.now() % 3);

/** A server that repeats its request wherever an error has room for it. */
function echoing(status: number): (request: WireRequest) => WireReply {
  return ({ headers }) => {
    const key = headers["x-api-key"] ?? headers.authorization ?? "";
    const message = `no: ${key} (${encodeURIComponent(key)}, ${btoa(unescape(encodeURIComponent(key)))})`;
    const error = { type: "some_error", code: key, message };
    return status === 200
      ? { type: "text/event-stream", body: `data: ${JSON.stringify({ error })}\n\n` }
      : { status, type: "application/json", body: JSON.stringify({ error }) };
  };
}

test(`seed ${SEED}: no provider's key is found outside the secret store, whatever its server answers`, async () => {
  let usual = echoing(401);
  using server = new WireServer((request) => usual(request));
  const home = new TestHome({ env: { GSV_KERNEL_MODEL_RETRIES: "0" } });
  const search = new Search(ALL);
  const gsv = async (args: string[], env: Env = {}, stdin?: string): Promise<number> => {
    const options = { env: { ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: server.url, ...env } };
    const ran = await home.gsv(args, stdin === undefined ? options : { ...options, stdin });
    search.look(`stdout of gsv ${args.join(" ")}`, ran.stdout);
    search.look(`stderr of gsv ${args.join(" ")}`, ran.stderr);
    return ran.status;
  };
  try {
    expect(await gsv(["auth", "provider", "anthropic", "--env", "MINE"], { MINE: BY_NAME })).toBe(0);
    expect(await gsv(["auth", "provider", "google", "--helper", `printf '%s\\n' ${PRINTED}`])).toBe(0);
    expect(await gsv(["auth", "provider", "openrouter"], {}, `${FED}\n`)).toBe(0);
    expect(await gsv(["auth", "provider", "openai"], {}, STORED)).toBe(0);
    expect(await gsv(["auth", "provider", STORED])).toBe(2);
    const asked: readonly (readonly [string, Env])[] = [
      ["anthropic/m", {}],
      ["openai/m", {}],
      ["openai/m", { OPENAI_API_KEY: IN_ENV }],
    ];
    for (const [at, [model, env]] of asked.entries()) {
      for (const [status, exit] of ENDS.filter((_, nth) => samples(0, 1) === 1 || (nth + at + SEED) % 3 === 0)) {
        usual = echoing(status);
        const ended = await gsv(["chat", "--json", "--model", model, "hi"], env);
        expect([model, status, ended]).toEqual([model, status, exit]);
        if (status !== 400) {
          // Paused, with the reason: every view that shows it.
          for (const args of [
            ["ps", "--json"],
            ["proc", "get", "init:1000"],
            ["cat", "/proc/init:1000/status"],
          ])
            expect(await gsv(args)).toBe(0);
        } else {
          expect(await gsv(["doctor", "--provider", "--set", `ai.model=${model}`], env)).toBe(1);
          await gsv(["models", "--provider", model.split("/")[0]!], env);
        }
      }
    }
    usual = () => ({ type: "text/event-stream", body: WIRES["openai chat completions"]!.body({ text: ["fine"] }) });
    expect(await gsv(["chat", "--model", "openai/m", "hi"])).toBe(0);
    expect(await gsv(["proc", "history", "--json"])).toBe(0);
    for (const pid of home.processes) {
      search.look(`environment of ${pid}`, readFileSync(`/proc/${pid}/environ`));
      search.look(`arguments of ${pid}`, readFileSync(`/proc/${pid}/cmdline`));
    }
    await gsv(["proc", "reset"]);
    await gsv(["kernel", "stop"]);
    for (const { body, path } of server.requests) search.look(`body of ${path}`, `${path}${body}`);
    for (const path of filesBelow(home.directory).filter((each) => !each.startsWith(home.paths.secretsDir))) {
      const bytes = readFileSync(path);
      search.look(path, path.endsWith(".gz") ? gunzipSync(bytes) : bytes);
    }
    expect(search.hits).toEqual([]);
    // The servers did get the keys, and the search works.
    const sent = new Search(ALL);
    for (const { headers } of server.requests) sent.look("headers", Object.values(headers).join("\n"));
    expect(sent.hits.length).toBeGreaterThan(3);
  } finally {
    await home.dispose();
  }
}, 120_000);
