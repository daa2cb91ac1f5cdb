// Shell scripts on the target gsv, and the sessions that keep state from line to line. A script runs at most once per request: if a kernel dies
// while one runs, a retry gets an error that says so.

import type { Namespace } from "../../../fs/namespace.ts";
import { LIMITS } from "../../abi/config/limits.ts";
import { ENDED_BY, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Sys } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import type { TemporaryBytes } from "../../lib/memory/growing-bytes.ts";
import type { Receipt } from "../../objects/objects.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ShellAnswer, ShellRequest } from "../../syscalls/run/shell-service.ts";
import { JobRoom, JobTable } from "../../targets/jobs.ts";
import type { Output } from "../../targets/output.ts";
import type { SentSignal, ShellState } from "../../targets/shell.ts";
import type { WorkerPool } from "../../targets/worker-pool.ts";
import type { ReceiptContext } from "../dispatch.ts";
import type { HomeOf } from "../files/file-paths.ts";
import { ScriptOutput, withoutRoom } from "./script-output.ts";
import { shellFiles } from "./shell-files.ts";

export interface ScriptsPorts {
  readonly shells: WorkerPool;
  readonly namespace: Namespace;
  readonly clock: Clock;
  /** For outputs. */
  readonly temporary: TemporaryBytes;
  readonly version: string;
  /** Sys for a script, approved or not. */
  readonly sysFor: (context: CallContext, allowed: Allowed) => Sys;
  readonly isGuarded: (path: string) => boolean;
  readonly homeOf: HomeOf;
  /** Stores the answer for a retry, in case this kernel dies while the script runs. */
  readonly begin: (receipt: Receipt) => Promise<void>;
}

/** The approval of a script, by a person or a rule. */
export interface Allowed {
  readonly approved: boolean;
  readonly allowedByRuleOrMode: boolean;
  readonly script: string;
}

/** A script or host command, for its readers. */
export interface ShellRun {
  readonly about: {
    readonly id: string;
    readonly uid: number;
    readonly ownerUid: number;
    readonly pid: string | null;
    readonly script: string;
    readonly directory: string;
    readonly startedAt: number;
    readonly sandbox: string | null;
  };
  readonly output: Output;
  /** null while it runs. */
  readonly exit: number | null;
  /** True if the session of the script has ended. */
  readonly over: boolean;
  /** Session state after the script. */
  readonly session: ShellAnswer["session"];
  readonly ended: Promise<void>;
}

interface ScriptRun extends ShellRun {
  readonly output: ScriptOutput;
  readonly stopped: AbortController;
  readonly listeners: Set<(signal: SentSignal) => void>;
  exit: number | null;
  over: boolean;
  session: ShellAnswer["session"];
  wantedAt: number;
  /** Cancels the timer that forgets it, which keeps the output in memory. */
  forgotten: () => void;
}

/** An interactive session: its state between lines. */
interface Session {
  readonly jobs: JobTable;
  state: ShellState | null;
}

const SESSIONS_MAX = 256;
const OUTPUT_KEPT_MS = 60_000;
/** Readers call again within this time. */
const READING_MS = 5000;
const EXIT_FAULT = 1;

export class ScriptRuns {
  /** Least recently used first. */
  private readonly sessions = new Map<string, Session>();
  /** Running and recently finished scripts. */
  private readonly scripts = new Map<string, ScriptRun>();

  constructor(private readonly ports: ScriptsPorts) {}

  /** Returns when the script has started. `lost`: answer for a retry if this kernel dies meanwhile. */
  async begin(context: ReceiptContext, request: ShellRequest, lost: unknown): Promise<ShellRun> {
    const { caller } = context;
    const { clock } = this.ports;
    const key = keyOf(caller.uid, request.id);
    if (this.scripts.has(key)) throw new SysError("ECONFLICT", `script ${request.id} has already run`);
    if (context.receipt !== undefined) await this.ports.begin(context.receipt(lost));
    const directory = await this.standing(caller, request.cwd);
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const { id, script: text } = request;
    const script: ScriptRun = {
      about: {
        ...{ id, uid: caller.uid, ownerUid: caller.ownerUid, pid: caller.pid ?? null },
        ...{ script: text, directory, startedAt: clock.now(), sandbox: null },
      },
      output: new ScriptOutput(LIMITS.shellOutputBytesMax, this.ports.temporary.fresh()),
      stopped: new AbortController(),
      listeners: new Set(),
      ...{ exit: null, over: false, session: null, ended, wantedAt: 0, forgotten: () => {} },
    };
    this.scripts.set(key, script);
    // The caller already has its answer.
    ended.catch(() => {});
    this.carryOut(context, request, script)
      .finally(() => {
        script.exit ??= EXIT_FAULT;
        script.output.end();
        // An interactive client reads on from here; a tool has returned the output.
        if (script.about.pid === null) script.wantedAt = clock.now();
        script.forgotten = clock.after(OUTPUT_KEPT_MS, () => this.forget(script));
        this.makeRoom(script);
      })
      .then(resolve, reject);
    return script;
  }

  /** Keeps the output while a client reads it. */
  wanted({ about }: ShellRun): void {
    const script = this.scripts.get(keyOf(about.uid, about.id));
    if (script !== undefined) script.wantedAt = this.ports.clock.now();
  }

  list(): readonly ShellRun[] {
    return [...this.scripts.values()];
  }

  /** The script may trap the signal. False if it has ended. */
  signal({ about }: ShellRun, signal: SentSignal): boolean {
    const script = this.scripts.get(keyOf(about.uid, about.id));
    if (script === undefined || script.exit !== null) return false;
    for (const listener of script.listeners) listener(signal);
    // A waiting script has no traps yet.
    if (script.listeners.size === 0) script.stopped.abort();
    return true;
  }

  /** False if it has ended. */
  stop({ about }: ShellRun): boolean {
    const script = this.scripts.get(keyOf(about.uid, about.id));
    if (script === undefined || script.exit !== null) return false;
    script.stopped.abort();
    return true;
  }

  private makeRoom(latest: ScriptRun): void {
    const since = this.ports.clock.now() - READING_MS;
    const ended = [...this.scripts.values()].filter(({ exit }) => exit !== null);
    for (const each of withoutRoom(ended, latest, { since, bytesMax: LIMITS.shellKeptBytesMax })) {
      each.forgotten();
      this.forget(each);
    }
  }

  private forget({ about, output }: ScriptRun): void {
    this.scripts.delete(keyOf(about.uid, about.id));
    output.release();
  }

  private async carryOut(context: CallContext, request: ShellRequest, script: ScriptRun): Promise<void> {
    const { namespace, sysFor, isGuarded, version } = this.ports;
    const { output, stopped, about, listeners } = script;
    const approved = context.caller.kind === "person" || context.caller.approved === true;
    const allowedByRuleOrMode = context.caller.allowedByRuleOrMode === true;
    // The approval covers the script, not the syscalls of its commands.
    const { approved: _, allowedByRuleOrMode: __, allowed: ___, ...caller } = context.caller;
    const key = request.session === undefined ? null : keyOf(caller.uid, request.session);
    const session = key === null ? null : this.session(key, context.gone);
    let tooMuch = false;
    const jobs = session?.jobs ?? this.newJobs();
    const home = (await this.ports.homeOf(context.caller, null)) ?? caller.home;
    const end = await jobs[session === null ? "run" : "line"](
      {
        script: request.script,
        name: request.name ?? "gsv",
        args: request.args ?? [],
        cwd: about.directory,
        env: environment(caller, { home, cwd: about.directory, version }),
        stdin: request.stdin === undefined ? new Uint8Array() : Buffer.from(request.stdin, "base64"),
        state: session?.state ?? null,
        keepsState: session !== null,
        outputBytesMax: LIMITS.shellOutputBytesMax,
        // No time limit for a person, who can end it with a key.
        wallMs: request.timeoutMs ?? (caller.kind === "person" ? LIMITS.shellWallMsMax : LIMITS.shellWallMs),
      },
      {
        files: shellFiles({
          ...{ namespace, isGuarded, approved, allowedByRuleOrMode },
          caller: approved ? { ...caller, approved } : caller,
        }),
        sys: sysFor({ ...context, caller }, { approved, allowedByRuleOrMode, script: request.script }),
        print(stream, bytes) {
          if (tooMuch || output.add(stream, bytes)) return;
          tooMuch = true;
          stopped.abort();
        },
        onSignal(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        owner: caller.ownerUid,
        // Ends with its client, because no one reads its output.
        signal: AbortSignal.any([
          stopped.signal,
          context.signal,
          ...(context.gone === undefined ? [] : [context.gone]),
        ]),
      },
    );
    if (session !== null && !end.cut) session.state = end.state;
    else if (session?.state) session.state = { ...session.state, status: end.exit };
    script.over = session !== null && end.state === null && !end.cut;
    // `exit` ends a session.
    if (script.over && key !== null) this.endSession(key);
    const { cwd = about.directory, defined = [] } = session?.state ?? {};
    script.session = session && { cwd, defined, jobs: session.jobs.open };
    script.exit = tooMuch ? ENDED_BY.output : end.exit;
  }

  private session(key: string, gone: AbortSignal | undefined): Session {
    const found = this.sessions.get(key);
    const session = found ?? { jobs: this.newJobs(), state: null };
    this.sessions.delete(key);
    this.sessions.set(key, session);
    if (found === undefined) gone?.addEventListener("abort", () => this.endSession(key), { once: true });
    if (this.sessions.size > SESSIONS_MAX) this.endSession(this.sessions.keys().next().value ?? "");
    return session;
  }

  private endSession(key: string): void {
    this.sessions.get(key)?.jobs.close();
    this.sessions.delete(key);
  }

  private newJobs(): JobTable {
    const room = new JobRoom(LIMITS.shellJobsRunningMax, LIMITS.shellJobsQueuedMax);
    return new JobTable(this.ports.shells, room, this.ports.clock);
  }

  // If the directory is gone, for example after rm in another terminal, use the root.
  private async standing(caller: Caller, wanted: string | undefined): Promise<string> {
    const path = wanted ?? (caller.kind === "process" ? caller.cwd : caller.home);
    const { namespace } = this.ports;
    const stat = await namespace.stat(caller, path).catch(() => null);
    // `pwd` prints a path for every other terminal, too.
    return stat?.kind === "directory" ? await namespace.shown(caller, path) : "/";
  }
}

function keyOf(uid: number, id: string): string {
  return `${uid}:${id}`;
}

function environment(
  caller: Caller,
  { home, cwd, version }: { readonly home: string; readonly cwd: string; readonly version: string },
): { readonly [name: string]: string } {
  return {
    // As `~` in every other tool.
    HOME: home,
    USER: caller.username,
    LOGNAME: caller.username,
    SHELL: "/bin/bash",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    PWD: cwd,
    TERM: "xterm-256color",
    LANG: "en_US.UTF-8",
    HOSTNAME: "gsv",
    GSV_VERSION: version,
    ...(caller.pid === undefined ? {} : { GSV_PID: caller.pid }),
  };
}
