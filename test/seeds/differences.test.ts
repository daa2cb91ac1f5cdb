// What `gsv man seeds` lists as meant otherwise: each of its statements, tried.

import { expect, test } from "bun:test";
import { MANUAL } from "../../src/prompts/manual.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { ManagedKernel } from "../support/manager.ts";
import { WireServer } from "../support/wire-server.ts";
import { isTest, PRODUCT, readTree } from "../tidy/tree.ts";

const MINUTE = 60_000;

const TRIED: { readonly [statement: string]: () => Promise<void> } = {
  async "A run in flight continues after a crash."() {
    await using home = await TestKernel.boot();
    home.model.will(INIT, { hold: true });
    const { runId } = await home.send("hello");
    await home.holding();
    home.model.will(INIT, { text: "from the next kernel" });
    await home.restart();
    expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  },

  async "Silence is limited, not duration."() {
    await using home = await TestKernel.boot();
    home.model.will(INIT, { hold: true, calls: [{ name: "Search", args: { query: "x" } }] }, { hold: true });
    await home.send("hello");
    for (let turn = 1; turn <= 2; turn++) {
      await home.holding();
      await home.clock.advance(29 * MINUTE);
      expect((await home.get(INIT)).state).toBe("running");
      if (turn === 1) home.model.release();
    }
    await home.clock.advance(MINUTE);
    await home.inState(INIT, "stopped");
  },

  async "OpenAI's key comes before a local Ollama, and `offline` is last."() {
    using ollama = new WireServer(() => ({ type: "application/json", body: '{"models":[{"name":"llama"}]}' }));
    const answers = async (env: { readonly [name: string]: string }) => {
      await using home = await TestKernel.boot({ env, realProviders: true });
      return (await home.sys.call<{ answers: string }>("proc.model", { pid: INIT })).answers;
    };
    const openai = { OPENAI_API_KEY: "sk-0123456789abcdef0123" };
    expect(await answers({ ...openai, OLLAMA_HOST: ollama.url })).toMatch(/^openai/);
    expect(await answers({ OLLAMA_HOST: ollama.url })).toMatch(/^ollama/);
    expect(await answers({})).toMatch(/offline/);
  },

  async "One engine for all providers."() {
    // One place turns a provider's stream into a turn, whichever provider it is.
    const engines = [...readTree(PRODUCT).values()].filter(({ path, imports }) =>
      imports.some(({ target, kind }) => target === "src/providers/fold.ts" && kind !== "type" && !isTest(path)),
    );
    expect(engines.map(({ path }) => path)).toEqual(["src/process/run/model-turn.ts"]);
  },

  async "Credits are checked before an answer, not only after it."() {
    await using home = await TestKernel.boot();
    await home.sys.call("credits.rate", { rate: "free_credits_on_first_message", value: 0 });
    const { pid } = await home.sys.call<{ pid: string }>("session.open", { key: "agent:main:algochat:dm:W7" });
    await home.send("hello", { pid });
    await home.inState(pid, "stopped");
    expect(home.model.requests).toEqual([]);
  },

  async "A replaced session keeps its listeners."() {
    await using it = await ManagedKernel.boot();
    const { session, pid } = await it.resumed({}, { hold: true });
    await it.home.holding();
    const heard: string[] = [];
    it.manager.subscribe(session.id, (_, { type }) => heard.push(type));
    it.manager.startProcess(session, "two");
    await it.until(session, "session_exited", 2);
    it.home.model.release();
    await it.home.quiet();
    expect(heard.filter((type) => type.startsWith("session_"))).toEqual([
      "session_stopped",
      "session_started",
      "session_exited",
    ]);
    // Events of the run before are not attributed to this one.
    expect(heard.filter((type) => type === "result")).toHaveLength(1);
    const said = (await it.home.outline(pid)).filter((line) => !line.startsWith("system:"));
    expect(said).toEqual(["user: hello", "assistant: done", "user: and now", "user: two", "assistant: done"]);
    expect(it.manager.getMemoryStats().processes).toBe(0);
  },
};

const STATED = MANUAL.filter(({ page }) => page === "seeds").flatMap(({ text }) =>
  [...text.matchAll(/^- \*\*(.*?)\*\*/gm)].map(([, statement]) => statement ?? ""),
);

test("each statement of the page is tried here", () => {
  expect(STATED).toEqual(Object.keys(TRIED));
});

for (const [statement, tried] of Object.entries(TRIED)) test(statement, tried);
