// The methods of seed-002 that take functions, through the program as it is built: what they are given takes effect in the kernel.

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ProcessManager } from "../../src/process/manager/manager.ts";
import { type Line, ManagedHome, says } from "../support/manager-program.ts";
import { type Row, table } from "./table.ts";

let it: ManagedHome;
const call = <Result = unknown>(method: string, ...args: readonly unknown[]) =>
  it.manager.call<Result>(method, ...args);

beforeAll(async () => {
  it = await ManagedHome.boot();
});
afterAll(() => it[Symbol.asyncDispose]());

const ASK = says({ calls: [{ name: "Ask", json: ['{"question":"Which colour?","choices":["red","green"]}'] }] });
const ADD = says({ calls: [{ name: "calendar_add", json: ['{"title":"tea"}'] }] });
const CALENDAR = {
  tools: [
    {
      name: "calendar_add",
      description: "Adds an event.",
      parameters: { type: "object", properties: { title: { type: "string" } } },
    },
  ],
};

/** Id of the request that the session waits for. */
async function waitingFor(session: { readonly id: string }): Promise<string> {
  let id = "";
  await it.manager.until("it waits", async () => {
    const { waitsFor } = await it.process(session);
    if (waitsFor !== null && "id" in waitsFor) id = waitsFor.id;
    return id !== "";
  });
  return id;
}

/** Topics of the broadcasts during a question of an agent. */
async function broadcasts(): Promise<unknown[]> {
  const from = it.manager.lines.length;
  const session = await it.resumed({}, ASK);
  await it.gsv("answer", await waitingFor(session), "green");
  await it.manager.seen(session.id, "session_exited", 2);
  return it.manager.lines.slice(from).flatMap(({ topic, data }) => (topic === undefined ? [] : [[topic, data]]));
}

/** Starts a session of a wallet without credits; returns the events. */
async function charged(sender: string): Promise<string[]> {
  const session = it.session({ source: "algochat", sender });
  await call("startProcess", session, "hello");
  await it.manager.until("it ends", () => it.manager.types(session.id).some((type) => /stopped|exited/.test(type)));
  return it.manager.types(session.id);
}

async function toolCall(answer: object): Promise<readonly [offered: boolean, called: Line, told: string]> {
  const session = await it.resumed({}, ADD);
  const offered = it.asked.includes("calendar_add");
  const from = it.manager.lines.length;
  await it.gsv("approve", await waitingFor(session));
  await it.manager.until("the tool is called", () => it.manager.lines.slice(from).some(({ tool }) => tool));
  const called = it.manager.lines.slice(from).find(({ tool }) => tool)!;
  it.manager.write({ toolCall: called.toolCall, ...answer });
  await it.manager.seen(session.id, "session_exited", 2);
  expect(called.sessionId).toBe(session.id);
  return [offered, called, it.asked];
}

const ROWS: readonly Row<null>[] = [
  [
    "setBroadcast: inject WebSocket broadcast function",
    async () => {
      await call("setBroadcast", false);
      const off = await broadcasts();
      await call("setBroadcast", true);
      return [off, await broadcasts()];
    },
    [[], [["owner", { type: "agent_question", question: { question: "Which colour?", options: ["red", "green"] } }]]],
  ],
  [
    "setOwnerCheck: inject owner check for credit exemption",
    async () => {
      await it.gsv("credits", "rate", "free_credits_on_first_message", "0");
      await call("setOwnerCheck", "WALLET7");
      const types = await Promise.all([charged("WALLET7"), charged("WALLET8")]);
      const owners = await it.gsv("config", "get", "credits.owners");
      return [types[0]?.at(-1), types[1]?.includes("credits_exhausted"), owners];
    },
    /^\["session_exited",true,".*WALLET7.*"\]$/,
  ],
  [
    "setMcpServices: register all MCP-related services",
    async () => {
      await call("setMcpServices", CALENDAR);
      const [offered, { tool, args }, told] = await toolCall({ result: "added tea at five" });
      const [, , failed] = await toolCall({ error: "the calendar is closed" });
      await call("setMcpServices");
      await it.talked();
      return [
        offered,
        tool,
        args,
        told.includes("added tea at five"),
        failed.includes("is closed"),
        it.asked.includes("calendar"),
      ];
    },
    [true, "calendar_add", { title: "tea" }, true, true, false],
  ],
];

table(ROWS, () => null);

test("new ProcessManager(db) finds the kernel of the database, and its services answer the agent", async () => {
  // Its client has no model in its environment.
  const add = { calls: [{ name: "calendar_add", args: { title: "tea" } }] };
  const script = await it.home.file("script.jsonl", [add, { text: "done" }]);
  await it.gsv("config", "set", "ai.model", `script:${script}`);
  const database = new Database(it.home.paths.kernelDb, { readonly: true });
  const manager = new ProcessManager(database);
  const called: unknown[] = [];
  manager.setMcpServices({
    ...CALENDAR,
    call: async (...given: unknown[]) => {
      called.push(given);
      return "added by the class";
    },
  });
  const session = it.session();
  const ended = Promise.withResolvers<void>();
  manager.subscribe(session.id, (_, { type }) => type === "session_exited" && ended.resolve());
  manager.startProcess(session, "add it");
  await manager.settled();
  await it.gsv("approve", await waitingFor(session));
  await ended.promise;
  expect(called).toEqual([["calendar_add", { title: "tea" }, session]]);
  expect(await it.gsv("session", "export", session.id)).toContain("added by the class");
  manager.shutdown();
  await manager.settled();
  database.close();
});
