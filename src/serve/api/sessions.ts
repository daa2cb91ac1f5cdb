// Sessions for programs written against the REST routes of a process manager: its names and shapes, over the session calls of gsv. What a
// session is and who may see it is decided by those calls alone.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { uuidv4 } from "../../abi/ids.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { SessionDetails, SessionLine, SessionMessage } from "../../syscalls/session/session-service.ts";
import type { Visit } from "../route.ts";
import { answered, type Calls } from "./calling.ts";

export function listSessions(visit: Visit): Promise<Response> {
  const project = visit.url.searchParams.get("projectId");
  return answered(visit, async ({ read }) => {
    const { sessions } = await read<{ sessions: readonly SessionLine[] }>("session.list", {
      limit: LIMITS.listPageMax,
      details: true,
    });
    return sessions.map(sessionOf).filter(({ projectId }) => project === null || projectId === project);
  });
}

export function getSession(visit: Visit): Promise<Response> {
  return answered(visit, (calls) => found(calls, visit));
}

/** With a first message it is started too. */
export async function createSession(visit: Visit): Promise<Response> {
  const body = await visit.object();
  const { projectId: project, agentId: agent, name, workDir, source = "web" } = body;
  const prompt = textIn(body, "initialPrompt");
  return await answered(
    visit,
    async (calls) => {
      const key = await idFor(visit, calls);
      const about = { source, project, agent, name, workDir, initialPrompt: prompt };
      if (prompt === undefined) await calls.change("session.open", { key, ...about });
      else await calls.change("session.start", { key, prompt, ...about });
      return await sessionAt(calls, key);
    },
    201,
  );
}

export async function changeSession(visit: Visit): Promise<Response> {
  const body = await visit.object();
  const name = textIn(body, "name");
  if (body.status !== undefined)
    throw new SysError("EINVAL", "the status of a session follows its process", [
      "use POST …/start, …/resume or …/stop",
    ]);
  if (name === undefined) throw new SysError("EINVAL", "give a name");
  return await answered(visit, async (calls) => {
    const { id } = await found(calls, visit);
    await calls.change("session.set", { key: id, path: "label", value: name });
    return await sessionAt(calls, id);
  });
}

export function deleteSession(visit: Visit): Promise<Response> {
  return answered(visit, async ({ change }) => {
    const { archivedTo } = await change<{ archivedTo: string | null }>("session.remove", { key: idOf(visit) });
    return { ok: true, archivedTo };
  });
}

export async function startSession(visit: Visit): Promise<Response> {
  return await begin(visit, "session.start", textIn(await visit.object(), "prompt"));
}

export async function resumeSession(visit: Visit): Promise<Response> {
  return await begin(visit, "session.resume", textIn(await visit.object(), "prompt"));
}

export async function sendMessage(visit: Visit): Promise<Response> {
  const content = textIn(await visit.object(), "content");
  if (content === undefined) throw new SysError("EINVAL", "give the message as content");
  return await begin(visit, "session.resume", content);
}

export function stopSession(visit: Visit): Promise<Response> {
  return answered(visit, async ({ change }) => {
    const { stopped } = await change<{ stopped: boolean }>("session.stop", { key: idOf(visit) });
    return { ok: true, stopped };
  });
}

/** One page, oldest first. The next one comes with `after`, the id of its last message. */
export function messagesOf(visit: Visit): Promise<Response> {
  const after = numberIn(visit, "after");
  const limit = numberIn(visit, "limit");
  return answered(visit, async ({ read }) => {
    const page = await read<{ messages: readonly SessionMessage[] }>("session.messages", {
      key: idOf(visit),
      ...(after !== null && { after }),
      limit: limit ?? LIMITS.historyPageMax,
    });
    return page.messages.map(({ timestamp, ...message }) => ({
      ...message,
      costUsd: null,
      timestamp: isoOf(timestamp),
    }));
  });
}

function begin(visit: Visit, call: string, prompt: string | undefined): Promise<Response> {
  return answered(visit, async (calls) => {
    // A call with an unknown id would make a session.
    const { id } = await found(calls, visit);
    const { runId } = await calls.change<{ runId: string | null }>(call, { key: id, prompt });
    return { ok: true, runId };
  });
}

function found(calls: Calls, visit: Visit): Promise<Session> {
  return sessionAt(calls, idOf(visit));
}

async function sessionAt({ read }: Calls, key: string): Promise<Session> {
  return sessionOf(await read<SessionLine>("session.get", { key, details: true }));
}

/** A repeated request with the same key names the same session. */
async function idFor({ host }: Visit, { key, read }: Calls): Promise<string> {
  if (key === null) return uuidv4(host.random);
  const { uid } = await read<{ uid: number }>("system.whoami", {});
  const hash = Buffer.from(sha256Hex(`session:${uid}:${key}`), "hex");
  return uuidv4((length) => hash.subarray(0, length));
}

type Session = ReturnType<typeof sessionOf>;

function sessionOf({ id, status, pid, label, details = NOTHING }: SessionLine) {
  return {
    id,
    projectId: details.project,
    agentId: details.agent,
    name: label ?? details.name,
    status,
    source: details.source,
    initialPrompt: details.initialPrompt,
    pid,
    totalCostUsd: details.costUsd,
    totalTurns: details.turns,
    councilLaunchId: details.councilLaunchId,
    councilRole: details.councilRole,
    workDir: details.workDir,
    createdAt: isoOf(details.createdAt),
    updatedAt: isoOf(details.updatedAt),
  };
}

const NOTHING: SessionDetails = {
  ...{ source: "cli", agent: null, project: null, name: "", workDir: null, initialPrompt: "" },
  ...{ councilLaunchId: null, councilRole: null, turns: 0, costUsd: 0, createdAt: 0, updatedAt: 0 },
};

function idOf({ params }: Visit): string {
  return params.id ?? "";
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}

/** Empty texts count as missing. */
function textIn(body: { readonly [name: string]: unknown }, name: string): string | undefined {
  const value = body[name] ?? "";
  if (typeof value !== "string") throw new SysError("EINVAL", `${name} must be a text`);
  return value === "" ? undefined : value;
}

function numberIn({ url }: Visit, name: string): number | null {
  const text = url.searchParams.get(name);
  if (text === null) return null;
  if (!/^[0-9]{1,15}$/.test(text)) throw new SysError("EINVAL", `${name} must be a whole number`);
  return Number(text);
}
