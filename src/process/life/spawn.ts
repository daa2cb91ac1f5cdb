// Starts a process in three steps: store the registry row with the whole request (phase `creating`), create the process database with the
// first message, set the row live. The next kernel completes a spawn after a crash. The same request again gives the same pid.

import { LIMITS } from "../../abi/config/limits.ts";
import { KeyReused, messageOf, SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { initPid, type RandomBytes, taskPid, uuidv7 } from "../../abi/ids.ts";
import type { Mode } from "../../abi/policy.ts";
import { budgetStated, type Limits, narrower } from "../../abi/process/budget.ts";
import { NO_CAUSE } from "../../abi/process/cause.ts";
import type { Origin } from "../../abi/process/message.ts";
import { projectNamed } from "../../kernel/accounts/projects.ts";
import { droppedFor } from "../../kernel/accounts/rights.ts";
import type { Bus } from "../../kernel/bus.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import {
  beginTree,
  type ChosenWorkspace,
  type NewWorkspacePorts,
  workspaceFor,
} from "../../kernel/workspaces/new-workspace.ts";
import { TimeSlice } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { Account } from "../../store/kernel/people/accounts.ts";
import type { NewBudget } from "../../store/kernel/processes/budgets.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { ContextFile } from "../../store/process/prompts.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Spawned, SpawnRequest } from "../../syscalls/services.ts";
import { modeOfNew } from "../approvals/policy/service.ts";
import type { Retries } from "../faults/disk-retry.ts";
import { copyHistory, type ForkStep } from "../history/copy-history.ts";
import { type Addressee, keepModel } from "../run/model-choice.ts";
import { keyOf, originOf, routeTo } from "../run/request.ts";
import type { Runners } from "../run/runners.ts";
import type { LedgerPorts } from "./ledger.ts";
import type { Offers } from "./offers.ts";

const slice = new TimeSlice();

export interface SpawnPorts extends LedgerPorts {
  readonly kernel: KernelStore;
  readonly objects: ObjectStore;
  readonly runners: Runners;
  readonly bus: Bus;
  readonly random: RandomBytes;
  readonly retries: Retries;
  readonly log: (line: string) => void;
  /** Checks the model of a message; null leaves the choice to the account. */
  readonly modelFor: (context: CallContext, addressee: Addressee, model: string | undefined) => Promise<string | null>;
  readonly offers: Offers;
  /** Default budget of a new task. */
  readonly taskBudget: (ownerUid: number) => Promise<Limits | null>;
  readonly workplaces: NewWorkspacePorts;
  readonly contextFiles: (caller: Caller, listed: string) => Promise<readonly ContextFile[]>;
  /** Real path of a directory. Throws if it is none. */
  readonly directoryAt: (caller: Caller, path: string) => Promise<string>;
  /** Throws if the mode is not allowed here. */
  readonly mayBe: (mode: Mode) => Promise<void>;
}

export interface SpawnStep {
  readonly prompt: {
    readonly text: string;
    readonly runId: string;
    readonly origin: Origin;
    readonly model: string | null;
  } | null;
  readonly requestKey: string;
  readonly fork?: ForkStep;
  readonly context?: readonly ContextFile[];
}

export interface Forking {
  readonly body: object;
  readonly step: ForkStep;
  readonly endNotice: ProcessRow["endNotice"];
}

export async function spawn(
  ports: SpawnPorts,
  context: CallContext,
  request: SpawnRequest,
  forking?: Forking,
): Promise<Spawned> {
  const { kernel, clock } = ports;
  const { caller, requestId } = context;
  const hash = sha256Hex(JSON.stringify(forking?.body ?? request));
  const known = await kernel.requests.answered(caller.uid, requestId, hash);
  if (known !== null) {
    if (!known.sameBody) throw new KeyReused("this request id was used for something else");
    context.onRepeat?.("answered");
    await completeOrLater(ports, (known.answer as Spawned).pid);
    return known.answer as Spawned;
  }
  if (request.profile === "init") throw new SysError("EINVAL", "every account has one init process: spawn a task");
  const own = caller.pid === undefined ? null : ((await kernel.processes.get(caller.pid))?.mode ?? null);
  const mode = await modeOfNew(caller, request.mode, { own, mayBe: ports.mayBe });
  const stated = request.budget === undefined ? null : budgetStated(request.budget);
  const place = await placeOf(ports, context, request);
  const model = await ports.modelFor(context, { ...place, pid: null, uid: place.runAs.uid }, request.model);
  const budget = await budgetOf(ports, context.caller, { ...place, stated });
  const now = clock.now();
  const runId = request.prompt === undefined ? null : uuidv7(now, ports.random);
  const cause = caller.cause ?? (caller.pid === undefined ? NO_CAUSE : await ports.store.causeOf(caller.pid));
  const origin = { ...originOf(context), ...(cause.hops > 0 && { cause }) };
  const step: SpawnStep = {
    prompt: request.prompt === undefined || runId === null ? null : { text: request.prompt, runId, origin, model },
    requestKey: keyOf(context),
    ...(forking === undefined ? {} : { fork: forking.step }),
    ...(await contextOf(ports, caller, request)),
  };
  // Many at once must not hold up other clients.
  await slice.step();
  const pid = await freshPid(ports);
  const { workspace, isNew } = place.workplace;
  const workspaceId = workspace?.id ?? null;
  const { cwd } = place;
  const answer: Spawned = { pid, label: request.label ?? null, profile: request.profile, cwd, workspaceId, runId };
  await kernel.processes.create(
    {
      pid,
      parentPid: place.parent?.pid ?? null,
      uid: place.runAs.uid,
      ownerUid: place.ownerUid,
      profile: request.profile,
      label: answer.label,
      cwd,
      workspaceId,
      createdAt: now,
      step: { ...step },
      dropped: place.dropped,
      projectId: place.projectId,
      mode,
      endNotice: forking?.endNotice ?? place.endNotice,
      ...(request.restart === undefined ? {} : { restart: request.restart }),
      budget,
    },
    { uid: caller.uid, requestId, bodyHash: hash, answer, now },
    isNew && workspace !== null ? workspace : undefined,
  );
  if (isNew && workspace !== null) await beginTree(ports.workplaces, workspace);
  if (request.model !== undefined && model !== null) await keepModel(kernel, pid, model, { uid: caller.uid, now });
  // Also without a prompt: the end of a child may start the first run.
  ports.offers.bind({ runId, pid }, ports.offers.from(context));
  if (runId !== null) await routeTo(ports, context, { runId, pid });
  await completeOrLater(ports, pid);
  return answer;
}

// The first step stores the whole request, so the rest can wait for disk space.
async function completeOrLater(ports: SpawnPorts, pid: string): Promise<void> {
  try {
    await completeSpawn(ports, pid);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    ports.log(`${pid} is created later: ${error.message}`);
    ports.retries.later(`spawn ${pid}`, () => {
      completeOrLater(ports, pid).catch((fault: unknown) => ports.log(`${pid} cannot be created: ${messageOf(fault)}`));
    });
  }
}

/** Second and third step. Also called at kernel start for rows in phase `creating`. */
export async function completeSpawn(
  ports: Pick<SpawnPorts, "kernel" | "store" | "ledger" | "runners" | "clock" | "objects">,
  pid: string,
): Promise<void> {
  const { kernel, store, ledger, runners, clock } = ports;
  const row = await kernel.processes.get(pid);
  if (row === null || row.phase !== "creating") return;
  const step = row.step as unknown as SpawnStep;
  const runAs = await kernel.accounts.byUid(row.uid);
  await slice.step();
  await store.create(pid, {
    profile: row.profile,
    identity: { runAs: runAs?.username ?? row.uid, ownerUid: row.ownerUid },
    now: clock.now(),
  });
  const spawned = { name: "process.spawn" } as const;
  // Nothing more to store: the database is opened when it is first used.
  if (isEmpty(step)) {
    await kernel.processes.live(pid, { dirty: false });
    return ledger.emit(row, spawned);
  }
  if (step.fork !== undefined) await copyHistory(ports, row, step.fork);
  await ledger.write(row, async () => {
    for (const file of step.context ?? []) await store.setContextFile(pid, file);
    if (step.prompt !== null && step.prompt !== undefined) {
      const { requestKey } = step;
      const message = { kind: "user", wakes: true, urgent: false, source: null, requestKey, now: clock.now() } as const;
      await store.admit(pid, { ...step.prompt, ...message });
    }
    await kernel.processes.live(pid, { dirty: true });
    ledger.emit(row, spawned);
    await ledger.publish(row);
    runners.wake(pid);
  });
}

function isEmpty({ prompt, fork, context = [] }: SpawnStep): boolean {
  return (prompt ?? null) === null && fork === undefined && context.length === 0;
}

interface Place {
  readonly parent: ProcessRow | null;
  readonly ownerUid: number;
  readonly runAs: Account;
  readonly workplace: ChosenWorkspace;
  readonly cwd: string;
  readonly dropped: readonly string[];
  readonly projectId: string | null;
  readonly endNotice: ProcessRow["endNotice"];
}

async function contextOf(ports: SpawnPorts, caller: Caller, { system, context }: SpawnRequest) {
  const own = system === undefined ? [] : [{ name: "00-system.md", text: system }];
  const named = context === undefined ? [] : await ports.contextFiles(caller, context);
  return own.length + named.length === 0 ? {} : { context: [...own, ...named] };
}

async function placeOf(ports: SpawnPorts, context: CallContext, request: SpawnRequest): Promise<Place> {
  const { kernel } = ports;
  const { caller } = context;
  const parentPid = request.parent ?? caller.pid ?? initPid(caller.ownerUid);
  const parent = await visibleProcess(kernel, caller, parentPid).catch((error: unknown) => {
    // Root may have no init: then there is no parent. A named parent must exist.
    if (request.parent === undefined && isRoot(caller)) return null;
    throw error;
  });
  const ownerUid = parent?.ownerUid ?? caller.ownerUid;
  await checkDepth(kernel, parent);
  if ((await kernel.processes.count(ownerUid)) >= LIMITS.processesPerOwnerMax) {
    throw new SysError("ELIMIT", `this account already has ${LIMITS.processesPerOwnerMax} processes`, [
      "to list them: gsv ps; to end one: gsv kill",
    ]);
  }
  const runAs = await runAsOf(kernel, caller, ownerUid, request.as, parent);
  const owner = await kernel.accounts.byUid(ownerUid);
  const project =
    request.project === undefined ? null : await projectNamed(kernel, { ...caller, ownerUid }, request.project);
  const { workspace: wanted = project?.workspace || undefined, label = null } = request;
  const workplace = await workspaceFor(ports.workplaces, context, { wanted, ownerUid, parent, label });
  const start = startOf(workplace, parent) ?? owner?.home ?? "/";
  // Rights that the caller dropped stay dropped under any parent.
  const dropped = await droppedFor(kernel.accounts, parent, runAs.uid, request.drop);
  return {
    workplace,
    parent,
    ownerUid,
    runAs,
    projectId: project?.id ?? parent?.projectId ?? null,
    endNotice: await endNoticeOf(kernel, caller, parent),
    dropped: [...new Set([...dropped, ...(caller.dropped ?? [])])],
    cwd: request.cwd === undefined ? start : await ports.directoryAt({ ...caller, cwd: start }, request.cwd),
  };
}

// The starter pays: naming another parent does not leave the starter's budget. Only a person can give a task more than the default.
async function budgetOf(
  { kernel, taskBudget }: SpawnPorts,
  caller: Caller,
  { parent, ownerUid, stated }: Pick<Place, "parent" | "ownerUid"> & { readonly stated: Limits | null },
): Promise<NewBudget> {
  const usual = await taskBudget(ownerUid);
  const limits = caller.kind !== "person" && stated !== null && usual !== null ? narrower(stated, usual) : stated;
  const starter = caller.pid === undefined ? null : await kernel.processes.get(caller.pid);
  const above = parent === null ? [] : await kernel.budgets.above(parent.pid);
  const isWithin = starter === null || starter.budgetId === null || above.some(({ id }) => id === starter.budgetId);
  const parentId = isWithin ? (parent?.budgetId ?? null) : starter.budgetId;
  return { limits: limits ?? usual, parentId };
}

/** The root of its own workspace, or the directory of its parent in a shared one. */
function startOf({ workspace }: ChosenWorkspace, parent: ProcessRow | null): string | undefined {
  if (workspace !== null && workspace.id !== parent?.workspaceId) return `/workspaces/${workspace.id}`;
  // Not in the parent's workspace without access to it.
  return workspace === null && parent?.workspaceId ? undefined : parent?.cwd;
}

async function checkDepth(kernel: KernelStore, parent: ProcessRow | null): Promise<void> {
  let depth = 0;
  for await (const _ of lineage(kernel, parent))
    if (++depth > LIMITS.spawnDepthMax)
      throw new SysError("ELIMIT", `processes can be nested at most ${LIMITS.spawnDepthMax} levels deep`);
}

async function* lineage({ processes }: KernelStore, from: ProcessRow | null): AsyncGenerator<ProcessRow> {
  for (let row = from; row !== null; row = row.parentPid === null ? null : await processes.get(row.parentPid))
    yield row;
}

// A session's process must not reach another conversation through a process under a parent outside its tree.
async function endNoticeOf(kernel: KernelStore, { pid }: Caller, parent: ProcessRow | null): Promise<"ignore" | null> {
  const starter = pid === undefined ? null : await kernel.processes.get(pid);
  const above = new Set((await Array.fromAsync(lineage(kernel, parent))).map((row) => row.pid));
  for await (const row of lineage(kernel, starter))
    if (row.endNotice === "ignore" && !above.has(row.pid)) return "ignore";
  return null;
}

// A foreign account name gives the same error as a missing one.
async function runAsOf(
  kernel: KernelStore,
  caller: Caller,
  ownerUid: number,
  as: string | undefined,
  parent: ProcessRow | null,
): Promise<Account> {
  const wanted = as === undefined ? await kernel.accounts.byUid(parent?.uid ?? -1) : await kernel.accounts.byName(as);
  const account = wanted ?? (as === undefined ? await kernel.accounts.personalAgent(ownerUid) : null);
  const mine = account !== null && (isRoot(caller) || (await kernel.accounts.mayActAs(ownerUid, account.uid)));
  if (account === null || !mine) {
    const name = as === undefined ? "for this account" : as.trim() === "" ? '""' : as;
    throw new SysError("ENOENT", `no such agent: ${name}`, [
      "to list yours: gsv agent list; without --as it is your personal agent",
    ]);
  }
  return account;
}

async function freshPid({ kernel, random }: SpawnPorts): Promise<string> {
  for (;;) {
    const pid = taskPid(random);
    if ((await kernel.processes.get(pid)) === null) return pid;
  }
}
