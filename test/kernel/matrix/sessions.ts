// The rows of the capability matrix for sessions, and the thinking level. A session of another account is named by its id: a key always means
// the caller's own.

import { ABSENT, ALL, type Call, type Owner, PERSONS_OWN, type Rows, type World } from "./world.ts";

async function session(world: World, owner: Owner): Promise<{ readonly key: string; readonly pid: string }> {
  const sys = world.people[owner];
  const { key, pid } = await sys.call<{ key: string; pid: string }>("session.open", {
    key: `agent:main:cli:dm:${world.fresh()}`,
  });
  return { key: (await sys.call<{ id: string }>("session.get", { key })).id, pid };
}

const about =
  (more: object = {}): Call["about"] =>
  async (world, owner) => ({ ...more, key: (await session(world, owner)).key });

async function conversation(world: World, owner: Owner): Promise<object> {
  const sys = world.people[owner];
  const { key, pid } = await session(world, owner);
  const { runId } = await sys.call<{ runId: string }>("proc.send", { pid, message: "hello" });
  await sys.call("proc.wait", { pids: [pid], run: runId });
  return { id: (await sys.call<{ oldSessionId: string }>("session.reset", { key })).oldSessionId };
}

export const SESSION_ROWS: Rows = {
  "session.list": { outcomes: ALL, about: () => ({}) },
  "session.route": { outcomes: ALL, about: () => ({ peer: "alice" }) },
  "session.get": { outcomes: ABSENT, about: about() },
  "session.stats": { outcomes: ABSENT, about: about() },
  "session.history": { outcomes: ABSENT, about: about() },
  "session.messages": { outcomes: ABSENT, about: about() },
  "session.reset": { outcomes: ABSENT, about: about() },
  "session.compact": { outcomes: ABSENT, about: about() },
  "session.open": { outcomes: PERSONS_OWN, about: about() },
  "session.set": { outcomes: PERSONS_OWN, about: about({ path: "label", value: "x" }) },
  "session.start": { outcomes: PERSONS_OWN, about: about() },
  "session.resume": { outcomes: PERSONS_OWN, about: about() },
  "session.stop": { outcomes: PERSONS_OWN, about: about() },
  "session.remove": { outcomes: PERSONS_OWN, about: about() },
  "session.restore": { outcomes: PERSONS_OWN, about: conversation },
  "proc.think": {
    outcomes: ["ok", "ESRCH", "ok", "EPERM", "EPERM"],
    about: async (world, owner) => ({ pid: await world.pid(owner) }),
  },
};
