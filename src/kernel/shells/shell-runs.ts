// One protocol for scripts in gsv and commands on the host: run, read, input, stop, list. Visible to the caller, to the owner of the agent that
// runs it, and to root.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { KERNEL_LEAVES } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type {
  ShellAnswer,
  ShellOutput,
  ShellRequest,
  ShellRow,
  ShellSignal,
  Shells,
} from "../../syscalls/run/shell-service.ts";
import type { HostJob, HostJobs } from "../../targets/host-jobs.ts";
import type { ReceiptContext } from "../dispatch.ts";
import type { HostLauncher } from "./host-launcher.ts";
import type { ScriptRuns, ShellRun } from "./script-runs.ts";

export interface ShellRunsPorts {
  readonly scripts: ScriptRuns;
  readonly commands: HostJobs;
  readonly launcher: HostLauncher;
  readonly clock: Clock;
}

const PIECE_BYTES = 384 * 1024;
/** Signals for scripts in gsv. */
const NUMBERS: { readonly [S in ShellSignal]?: number } = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  TERM: 15,
};
const LOST = "gsv: the kernel ended while this script ran; its outcome is unknown\n";

/** Answer for a script during which a kernel died. */
export const LOST_SCRIPT = { exit: 75, text: LOST } as const;

export type FoundRun = { readonly shell: ShellRun; readonly command: HostJob | null };

export class ShellRuns implements Omit<Shells, "exec"> {
  constructor(private readonly ports: ShellRunsPorts) {}

  async run(context: ReceiptContext, request: ShellRequest): Promise<ShellAnswer> {
    const { shell, command } = await this.launch(context, request, lostAnswer(request.id));
    await this.endOf(shell, context.signal, request.waitMs);
    const sandbox = command === null ? {} : { sandbox: command.meta.sandbox };
    return {
      id: request.id,
      exit: shell.exit,
      over: shell.over,
      session: shell.session,
      output: pageOf(shell, 0),
      ...sandbox,
    };
  }

  /** Starts a script; a cancelled call ends it. `lost`: answer for a retry if this kernel dies meanwhile. */
  async launch(context: ReceiptContext, request: ShellRequest, lost: unknown): Promise<FoundRun> {
    const { scripts, commands, launcher } = this.ports;
    if (request.target !== "host") return { shell: await scripts.begin(context, request, lost), command: null };
    const command = await launcher.start(context, request);
    const { signal } = context;
    // A draining kernel leaves it running for the next kernel.
    const stop = () => void (signal.reason !== KERNEL_LEAVES && commands.stop(command));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void command.ended.then(() => signal.removeEventListener("abort", stop));
    return { shell: shellOf(command), command };
  }

  /** Waits for its end, the end of the kernel, or the timeout. */
  async endOf({ ended }: ShellRun, signal: AbortSignal, ms?: number): Promise<void> {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const stop = ms === undefined ? () => {} : this.ports.clock.after(ms, resolve);
    const leave = () => {
      if (signal.reason === KERNEL_LEAVES) resolve();
    };
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    await Promise.race([ended, left]);
    signal.removeEventListener("abort", leave);
    stop();
  }

  async output(context: CallContext, { id, from, waitMs }: Parameters<Shells["output"]>[1]): Promise<ShellOutput> {
    const { shell } = this.found(context.caller, id);
    this.ports.scripts.wanted(shell);
    await shell.output.more(from, this.ports.clock, waitMs, context.signal);
    return pageOf(this.found(context.caller, id).shell, from);
  }

  /** The host command with this id. Throws for scripts, which take no input. */
  fed(caller: Caller, id: string): HostJob {
    const { command } = this.found(caller, id);
    if (command !== null) return command;
    throw new SysError("EINVAL", `script ${id} takes no input while it runs; pass its input at the start`);
  }

  async input({ caller }: CallContext, { id, data, end }: Parameters<Shells["input"]>[1]): Promise<{ bytes: number }> {
    const command = this.fed(caller, id);
    // Input to a shell is a command.
    if (caller.kind !== "person" && caller.approved !== true)
      throw new SysError("EBLOCKED", "input to a command on the host needs the user's approval");
    const bytes = Buffer.from(data, "base64");
    await this.ports.commands.write(command, bytes.byteLength === 0 ? null : bytes, end);
    return { bytes: bytes.byteLength };
  }

  async signal({ caller }: CallContext, { id, signal }: Parameters<Shells["signal"]>[1]): Promise<{ sent: boolean }> {
    const { shell, command } = this.found(caller, id);
    if (command !== null) return { sent: this.ports.commands.signal(command, signal) };
    const number = NUMBERS[signal];
    if (number !== undefined) return { sent: this.ports.scripts.signal(shell, { name: signal, number }) };
    throw new SysError("EINVAL", `scripts in gsv cannot get ${signal}, only ${Object.keys(NUMBERS).join(", ")}`);
  }

  async stop({ caller }: CallContext, id: string): Promise<{ stopped: boolean }> {
    const { shell, command } = this.lookedUp(caller, id) ?? {};
    if (shell === undefined) return { stopped: false };
    return { stopped: command ? this.ports.commands.stop(command) : this.ports.scripts.stop(shell) };
  }

  async list({ caller }: CallContext): Promise<{ shells: readonly ShellRow[] }> {
    const on = (target: ShellRow["target"]) => (shell: ShellRun) => ({ target, shell });
    const all = [
      ...this.ports.scripts.list().map(on("gsv")),
      ...this.ports.commands.list().map(shellOf).map(on("host")),
    ];
    const seen = all.filter(({ shell }) => concerns(caller, shell));
    const shells = seen.map(({ target, shell: { about, exit, output } }) => {
      const { id, pid, script, directory: cwd, startedAt, sandbox } = about;
      return { id, target, pid, script: script.slice(0, 1000), cwd, startedAt, exit, bytes: output.bytes, sandbox };
    });
    return { shells: shells.sort((a, b) => a.startedAt - b.startedAt).slice(-ROWS_MAX) };
  }

  found(caller: Caller, id: string): FoundRun {
    const found = this.lookedUp(caller, id);
    if (found !== null) return found;
    throw new SysError("ENOENT", `no such script, or it ended long ago: ${id}`);
  }

  /** Running and recent commands of a process, the oldest first. */
  ofProcess(pid: string): readonly (Pick<ShellRun, "output" | "exit"> & ShellRun["about"])[] {
    const { scripts, commands } = this.ports;
    return [...scripts.list(), ...commands.list().map(shellOf)]
      .filter(({ about }) => about.pid === pid)
      .map(({ about, output, exit }) => ({ ...about, output, exit }))
      .sort((a, b) => a.startedAt - b.startedAt);
  }

  /** Ends the commands of a process at the end of its run. */
  endOfProcess(pid: string): void {
    const { scripts, commands } = this.ports;
    for (const command of commands.list()) if (command.meta.pid === pid) commands.stop(command);
    for (const script of scripts.list()) if (script.about.pid === pid) scripts.stop(script);
  }

  private lookedUp(caller: Caller, id: string): FoundRun | null {
    const { scripts, commands } = this.ports;
    const command = commands.list().find(({ meta }) => meta.id === id && concerns(caller, { about: meta }));
    if (command !== undefined) return { shell: shellOf(command), command };
    const shell = scripts.list().find(({ about }) => about.id === id && concerns(caller, { about }));
    return shell === undefined ? null : { shell, command: null };
  }
}

const ROWS_MAX = 200;

function concerns(
  caller: Caller,
  { about }: { readonly about: { readonly uid: number; readonly ownerUid: number } },
): boolean {
  return isRoot(caller) || about.uid === caller.uid || (caller.kind === "person" && about.ownerUid === caller.uid);
}

function shellOf(command: HostJob): ShellRun {
  return {
    about: command.meta,
    output: command.output,
    ended: command.ended,
    session: null,
    get exit() {
      return command.exit;
    },
    get over() {
      return command.exit !== null;
    },
  };
}

function pageOf({ output, exit }: ShellRun, from: number): ShellOutput {
  const { pieces, next, ended } = output.page(from, PIECE_BYTES);
  return { pieces: pieces.map(({ stream, bytes }) => ({ stream, bytes: base64(bytes) })), next, ended, exit };
}

function lostAnswer(id: string): ShellAnswer {
  const bytes = Buffer.from(LOST);
  const pieces = [{ stream: "stderr", bytes: base64(bytes) }] as const;
  const { exit } = LOST_SCRIPT;
  return { id, exit, over: true, session: null, output: { pieces, next: bytes.byteLength, ended: true, exit } };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

interface LeftCommandPorts {
  readonly kernel: Pick<KernelStore, "processes">;
  readonly processes: Pick<ProcessStore, "head">;
}

/** Ends host commands of an earlier kernel that no run waits for. */
export async function endLeftCommands(
  { kernel, processes }: LeftCommandPorts,
  commands: Pick<HostJobs, "list">,
  table: Pick<ShellRuns, "endOfProcess">,
): Promise<void> {
  const running = commands.list().filter(({ exit }) => exit === null);
  for (const pid of new Set(running.flatMap(({ meta }) => meta.pid ?? []))) {
    const isLive = (await kernel.processes.get(pid)) !== null;
    if (!isLive || (await processes.head(pid)).currentRun === null) table.endOfProcess(pid);
  }
}
