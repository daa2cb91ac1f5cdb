// Every route of a message to a model, by the server that got its bytes: the agent's model comes before the environment and the account,
// for every call that carries text.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Sys } from "../../src/abi/sys.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import { runs } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelIo } from "../support/kernel-io.ts";
import { oneIn } from "../support/soak.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

const SERVERS = {
  anthropic: serverOf("anthropic"),
  openai: serverOf("openai chat completions"),
  ollama: serverOf("ollama"),
};
afterAll(() => {
  for (const server of Object.values(SERVERS)) server.stop();
});

function serverOf(wire: string): WireServer {
  const { type, body } = WIRES[wire]!;
  return new WireServer(() => ({ type, body: body({ text: ["noted"] }) }));
}

/** The models that got a request with this text, as `server/model`. */
function askedWith(text: string): string[] {
  const all = Object.entries(SERVERS).flatMap(([name, { requests }]) =>
    requests.filter(({ body }) => body.includes(text)).map(({ json }) => `${name}/${json.model}`),
  );
  return [...new Set(all)];
}

const ENV = {
  ANTHROPIC_API_KEY: KEY,
  ANTHROPIC_BASE_URL: SERVERS.anthropic.url,
  OPENAI_API_KEY: KEY,
  OPENAI_BASE_URL: `${SERVERS.openai.url}/v1`,
  OLLAMA_HOST: SERVERS.ollama.url,
};

const AGENTS = { friday: null, local: "ollama/agent", plain: null } as const;
const ACCOUNTS = ["", "anthropic/account"];
const ENVIRONMENTS = ["", "openai/environment"];

interface Case {
  readonly agent: keyof typeof AGENTS;
  readonly account: string;
  readonly project: string;
  readonly environment: string;
}

const CASES: Case[] = Object.keys(AGENTS).flatMap((agent) =>
  ACCOUNTS.flatMap((account) =>
    ENVIRONMENTS.flatMap((environment) =>
      ["", "site"].map((project) => ({ agent: agent as Case["agent"], account, environment, project })),
    ),
  ),
);

/** The expected target of a message; by default the provider of the key, which is Anthropic. A schedule has no shell that chose a model. */
function expected({ agent, account, environment }: Case, way: string): string {
  const chosen = way.startsWith("a schedule") ? "" : environment;
  return AGENTS[agent] ?? (chosen || account || "anthropic/claude-sonnet-5-5");
}

interface Way {
  readonly sys: Sys;
  readonly of: Case;
  readonly text: string;
}

async function gsv({ sys }: Way, ...args: string[]): Promise<void> {
  const io = new KernelIo(sys);
  expect([await runs(io, ...args), io.stderr.text.includes("offline")]).toEqual([0, false]);
}

function spawned({ sys, of: { agent, project } }: Way, more: object = {}): Promise<Spawned> {
  return sys.call("proc.spawn", { as: agent, ...(project === "" ? {} : { project }), ...more });
}

const send = (sys: Sys, pid: string, message: string) => sys.call("proc.send", { pid, message });

/** Adds a schedule and starts it as if it was due. */
async function scheduled(sys: Sys, what: object): Promise<void> {
  const name = `s${Bun.randomUUIDv7().slice(-8)}`;
  await sys.call("sched.add", { when: "every 1d", name, ...what });
  await sys.call("sched.run", { schedule: name });
}

/** The other commands have no project. */
const IN_PROJECTS = [
  "spawn --prompt",
  "a schedule",
  "a schedule for a process",
  "send",
  "chat --pid",
  "fork",
  "the end of a child",
  "session.start",
];

const WAYS: { readonly [name: string]: (way: Way) => Promise<unknown> } = {
  "spawn --prompt": (way) => spawned(way, { prompt: way.text }),
  send: async (way) => send(way.sys, (await spawned(way)).pid, way.text),
  "chat --pid": async (way) => gsv(way, "chat", "--pid", (await spawned(way)).pid, way.text),
  "chat --new": (way) => gsv(way, "chat", "--new", "--as", way.of.agent, way.text),
  run: (way) => gsv(way, "run", "--as", way.of.agent, "--", way.text),
  "chat --session": (way) => gsv(way, "chat", "--session", `agent:${way.of.agent}:cli:dm:ann`, way.text),
  "session.start": ({ sys, of: { agent, project }, text }) =>
    sys.call("session.start", {
      key: Bun.randomUUIDv7(),
      agent,
      ...(project === "" ? {} : { project }),
      prompt: text,
    }),
  council: (way) =>
    gsv(
      way,
      "council",
      way.text,
      "--members",
      `${way.of.agent},ollama/agent`,
      "--rounds",
      "0",
      "--chair",
      way.of.agent,
      ...(way.of.project === "" ? [] : ["--project", way.of.project]),
    ),
  fork: async (way) => {
    const { pid } = await spawned(way);
    await gsv(way, "chat", "--pid", pid, "hello");
    const fork = await way.sys.call<Spawned>("proc.fork", { pid });
    await send(way.sys, fork.pid, way.text);
  },
  "a schedule": ({ sys, of: { agent, project }, text }) =>
    scheduled(sys, { new: true, as: agent, ...(project === "" ? {} : { project }), text }),
  "a schedule for a process": async (way) => scheduled(way.sys, { pid: (await spawned(way)).pid, text: way.text }),
  "the end of a child": async (way) => {
    const { pid } = await spawned(way);
    await way.sys.call("proc.spawn", { parent: pid, label: way.text, prompt: "hello", as: way.of.agent });
  },
};

describe.each(ENVIRONMENTS)("GSV_MODEL=%s", (environment) => {
  describe.each(ACCOUNTS)("ai.model=%s", (account) => {
    let home: TestKernel;
    beforeAll(async () => {
      const env = environment === "" ? ENV : { ...ENV, GSV_MODEL: environment };
      home = await TestKernel.boot({ realProviders: true, realTime: true, env });
      if (account !== "") await home.sys.call("config.set", { key: "ai.model", value: account });
      await home.sys.call("project.create", { name: "site", instructions: "Build it." });
      for (const [name, model] of Object.entries(AGENTS))
        if (name !== "friday") await home.sys.call("agent.create", { name, ...(model && { model }) });
    });
    afterAll(() => home[Symbol.asyncDispose]());

    const cases = CASES.filter((each) => each.environment === environment && each.account === account);
    const rows = cases.flatMap((of) =>
      Object.keys(WAYS).flatMap((way) =>
        of.project !== "" && !IN_PROJECTS.includes(way) ? [] : [[way, of.agent, of.project, of] as const],
      ),
    );
    // Each run has a third of them.
    test.each(oneIn(3, rows))("%s, agent %s, project %s", async (way, agent, project, of) => {
      const text = `word-${[way, agent, project, account, environment].join("-").replace(/[^a-z]+/g, "-")}`;
      await WAYS[way]!({ sys: home.sys, of, text });
      await home.until("a model is asked", () => askedWith(text).length > 0);
      const council = way === "council" ? ["ollama/agent"] : [];
      expect(askedWith(text).sort()).toEqual([...new Set([expected(of, way), ...council])].sort());
    });
  });
});

test("--as works only with a new process, and only with an account of yours", async () => {
  await using home = await TestKernel.boot();
  const io = new KernelIo(home.sys);
  expect(await runs(io, "chat", "--as", "friday", "hi")).toBe(2);
  expect(io.stderr.text).toContain("--as needs --new");
  for (const name of ["nobody", "root", ""])
    expect([name, await runs(io, "run", "--as", name, "--", "hi")]).toEqual([name, 3]);
  expect(io.stderr.text).toContain("gsv: no such agent: nobody\n");
  expect(await runs(io, "kill", "")).toBe(3);
  expect(io.stderr.text).toContain('gsv: no such process: ""\n');
});
