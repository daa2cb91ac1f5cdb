// Plays a move on the world, if it makes sense now. Owners follow the rules; owners that lost their run try everything and must
// be refused.

import { expect } from "bun:test";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import type { Admission, CallRow, ProcessStore } from "../../src/store/process/verbs.ts";
import { SHOWN } from "../support/asking.ts";
import type { Move } from "./moves.ts";
import type { World } from "./world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const FENCED = { ok: false, why: "fenced" } as const;

type Players = { readonly [D in Move["do"]]: (world: World, move: Extract<Move, { do: D }>) => Promise<void> };

export async function play(world: World, move: Move): Promise<void> {
  world.now++;
  const player = PLAYERS[move.do] as (world: World, move: Move) => Promise<void>;
  await player(world, move);
  await world.holds();
}

const PLAYERS: Players = {
  async send(world, { text, urgent, retry, renewsAfter }) {
    const known = world.admitted.findLast((message) => message.kind === "user");
    const requestKey = world.fresh("renewal");
    const renew = { before: world.now - (renewsAfter ?? world.now), archiveId: `archive-${requestKey}`, requestKey };
    if (retry === "no" || known === undefined) return await admit(world, { text, urgent, renew });
    // A retry draws a new run id and may come later; the answer is that of the first try, or a conflict if the message differs.
    const again = { ...known, runId: world.fresh("run"), now: world.now, urgent: known.urgent !== (retry === "other") };
    const outcome = await world.store.admit(world.pid, again);
    if (outcome.ok && !outcome.replay) world.admitted.push(again);
    world.report(outcome);
  },

  async event(world, { wakes, source }) {
    const runId = wakes ? world.fresh("run") : null;
    await admit(world, { kind: "event", text: "an event", wakes, source, runId });
  },

  async claim(world) {
    await world.claim();
  },

  async turn(world, { text, calls, ends }) {
    const owned = await world.owned();
    if (owned === null) return;
    const { runId, epoch } = owned.run;
    const next = owned.open[0];
    if (next !== undefined) return await carryOut(world, epoch, next);
    const asked = calls.map((repeat) => {
      const callId = world.fresh("call");
      const tool = repeat === "read" ? "Read" : "Write";
      return { dispatchId: `d-${callId}`, callId, tool, call: `fs.${tool.toLowerCase()}`, args: { text }, repeat };
    });
    const turn = {
      runId,
      text,
      thinking: text === "" ? null : text,
      calls: asked,
      model: "script",
      usage: { ...NO_USAGE, input: text.length },
      finish: ends ? ({ status: "ok", reason: "turn.complete", error: null } as const) : null,
      now: world.now,
    };
    world.report(await world.store.commitTurn(world.pid, epoch, turn));
  },

  async begin(world, { pick }) {
    const owned = await world.owned();
    const call = pickOf(
      owned?.open.filter(({ status }) => status !== "dispatched"),
      pick,
    );
    if (owned === null || call === null) return;
    await world.store.beginCall(world.pid, owned.run.epoch, call.dispatchId);
  },

  async end(world, { pick, outcome }) {
    const owned = await world.owned();
    const call = pickOf(
      owned?.open.filter(({ status }) => status !== "asking"),
      pick,
    );
    if (owned === null || call === null) return;
    const result = { outcome, output: `result of ${call.callId}`, now: world.now };
    await world.store.endCall(world.pid, owned.run.epoch, call.dispatchId, result);
  },

  async ask(world, { pick }) {
    const owned = await world.owned();
    const call = pickOf(
      owned?.open.filter(({ status }) => status === "registered"),
      pick,
    );
    if (owned === null || call === null) return;
    const request = {
      ...SHOWN,
      dispatchId: call.dispatchId,
      approvalId: world.fresh("ask"),
      why: "why",
      now: world.now,
    };
    world.approvals.push(request.approvalId);
    await world.store.ask(world.pid, owned.run.epoch, [request]);
  },

  async answer(world, { decision, which }) {
    const ids = { open: world.approvals.at(-1), old: world.approvals[0], none: "none" };
    const approvalId = ids[which];
    if (approvalId === undefined) return;
    await world.store.answer(world.pid, { approvalId, decision, by: "sam", now: world.now });
  },

  async boundary(world, { enter }) {
    const owned = await world.owned();
    if (owned === null) return;
    const { runId, epoch } = owned.run;
    const about = { runId, enter: enter && owned.open.length === 0, now: world.now };
    await world.store.boundary(world.pid, epoch, about);
  },

  async finish(world, { status }) {
    const owned = await world.owned();
    if (owned === null) return;
    const { runId, epoch } = owned.run;
    const end = { runId, status, reason: "test", error: "why", note: "a note", now: world.now };
    const outcome = await world.store.finish(world.pid, epoch, end);
    if (outcome.ok) world.reported.push(...outcome.value);
  },

  async retry(world, { waits, isPaused }) {
    const owned = await world.owned();
    if (owned === null) return;
    const { runId, epoch } = owned.run;
    const waitsFor = {
      kind: isPaused ? "outage" : "model",
      reason: "r",
      model: "a/b",
      class: "outage",
      until: 1,
    } as const;
    const retrying = {
      model: "a/b",
      failed: 1,
      pauses: isPaused ? 1 : 0,
      waitsFor: waits || isPaused ? waitsFor : null,
    };
    await world.store.retry(world.pid, epoch, { runId, retrying, isPaused, now: world.now });
  },

  async late(world, { pick, by }) {
    if (by === "owner") return await lateOwner(world, pick);
    const stale = pickOf(world.stale, pick);
    if (stale !== null) await lateKernel(world, stale);
  },

  async abort(world, { which, retry }) {
    const current = world.runs.at(-1)?.runId ?? "run-of-nobody";
    const waiting = world.admitted.at(-1)?.runId ?? "run-of-nobody";
    const runId = { current, any: null, none: "run-of-nobody", waiting }[which];
    const requestKey = (retry ? world.abortKeys.at(-1) : undefined) ?? world.fresh("key");
    world.abortKeys.push(requestKey);
    world.report(await world.store.abort(world.pid, { runId, reason: "user.abort", requestKey, now: world.now }));
  },

  async setStopped(world, { stopped, by, atOnce }) {
    const wish = { stopped, now: world.now, atOnce, ...(by === "kernel" && { why: "no activity" }) };
    await world.store.setStopped(world.pid, wish);
  },

  async restart(world) {
    const owned = await world.owned();
    if (owned === null) return;
    const { runId, epoch } = owned.run;
    const waitsFor = { kind: "restart", reason: "r", until: 1, attempt: 1 } as const;
    const restarts = { count: 1, at: world.now };
    await world.store.restart(world.pid, epoch, { runId, restarts, waitsFor });
  },

  async pause(world, { isPaused }) {
    const waitsFor = isPaused ? ({ kind: "limit", reason: "spent" } as const) : null;
    await world.store.pause(world.pid, waitsFor, { now: world.now });
  },

  async cut(world, { reason }) {
    const asked = { reason, archive: true, archiveId: world.fresh("archive"), requestKey: world.fresh("key") };
    world.report(await world.store.cut(world.pid, { ...asked, now: world.now }));
  },

  seal: (world) => world.seal(),

  kernel: (world) => world.nextKernel(),

  fail: (world) => world.store.fail(world.pid),

  async compact(world, { share }) {
    const { generation, segment: after, rows } = await world.store.contextShape(world.pid);
    // A cut at which a model may continue, as a planner would choose it.
    const at = Math.floor((rows.length * share) / 10);
    const first = rows.slice(at).find(({ role }) => role !== "toolResult");
    const plan = { generation, after, toSeq: (first?.seq ?? 0) - 1, summary: "what came before", model: null };
    const wish = { ...plan, cause: "asked", spent: null, tokensBefore: 2, tokensAfter: 1, now: world.now } as const;
    await world.store.compact(world.pid, wish);
  },

  async undo(world) {
    await world.store.undoCompaction(world.pid, { now: world.now });
  },

  async project(world) {
    const rows = await world.store.outbox(world.pid);
    const through = rows[Math.floor(rows.length / 2)]?.seq ?? 0;
    await world.clearOutbox(through);
  },

  async day(world) {
    world.now += DAY_MS + 1;
  },
};

async function carryOut(world: World, epoch: number, call: CallRow): Promise<void> {
  const { pid, now } = world;
  await world.store.beginCall(pid, epoch, call.dispatchId);
  const result = { outcome: "completed", output: `result of ${call.callId}`, now } as const;
  await world.store.endCall(pid, epoch, call.dispatchId, result);
}

async function admit(world: World, about: Partial<Admission> & { readonly text: string }): Promise<void> {
  const message: Admission = {
    kind: "user",
    runId: world.fresh("run"),
    wakes: true,
    urgent: false,
    origin: { kind: "kernel" },
    source: null,
    requestKey: world.fresh("key"),
    now: world.now,
    ...about,
  };
  const outcome = await world.store.admit(world.pid, message);
  if (outcome.ok) world.admitted.push(message);
  world.report(outcome);
}

// An owner with an old epoch: every verb of its run is refused.
async function lateOwner(world: World, pick: number): Promise<void> {
  const { pid, now } = world;
  const { epoch: current } = await world.store.head(pid);
  const run = pickOf(
    world.runs.filter(({ epoch }) => epoch !== current),
    pick,
  );
  if (run === null) return;
  const { runId, epoch } = run;
  const finish = { status: "ok", reason: "late", error: null } as const;
  const turn = { runId, text: "late", thinking: null, calls: [], model: "script", usage: NO_USAGE, finish, now };
  const open = await world.store.openCalls(pid, runId);
  const dispatchId = open[0]?.dispatchId ?? "d-call-1";
  const result = { outcome: "completed", output: "late", now } as const;
  expect(await world.store.commitTurn(pid, epoch, turn)).toEqual(FENCED);
  expect(await world.store.endCall(pid, epoch, dispatchId, result)).toEqual(FENCED);
  expect(await world.store.beginCall(pid, epoch, dispatchId)).toEqual(FENCED);
  expect(await world.store.boundary(pid, epoch, { runId, enter: true, now })).toEqual(FENCED);
  expect(await world.store.finish(pid, epoch, { runId, ...finish, note: "late", now })).toEqual(FENCED);
}

// A kernel that lost the home: none of its calls changes anything.
async function lateKernel(world: World, stale: ProcessStore): Promise<void> {
  const { pid, now } = world;
  const before = await world.readable();
  expect(await stale.claim(pid, { now })).toBeNull();
  expect(await stale.setStopped(pid, { stopped: true, now })).toEqual(FENCED);
  await stale.fail(pid);
  await stale.clearOutbox(pid, Number.MAX_SAFE_INTEGER);
  await stale.seal(pid, { answer: {}, now });
  await expect(stale.adopt(pid, { now })).rejects.toMatchObject({ code: "EAGAIN" });
  expect(await world.readable()).toBe(before);
}

function pickOf<T>(items: readonly T[] | undefined, pick: number): T | null {
  return items?.[pick % Math.max(1, items.length)] ?? null;
}
