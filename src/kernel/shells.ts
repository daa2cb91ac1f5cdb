// Shell scripts of people and agents on the target gsv: who runs one, where it stands, what lives on to the next line, and its output in
// pieces that fit an answer. A script is run at most once per request: where a kernel died over one, nobody knows how far it came, and the
// repeated call is told so.

import type { Namespace } from "../../fs/namespace.ts";
import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { LIMITS } from "../abi/limits.ts";
import type { Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import type { Receipt } from "../objects/objects.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { ShellAnswer, ShellOutput, ShellRequest, Shells } from "../syscalls/shell-service.ts";
import type { GsvShells } from "../targets/gsv.ts";
import type { OutputPage } from "../targets/output.ts";
import type { ShellEnd, ShellState } from "../targets/shell.ts";
import type { ReceiptContext } from "./dispatch.ts";
import { ScriptOutput } from "./script-output.ts";
import { shellFiles } from "./shell-files.ts";

export interface ShellsPorts {
  readonly shells: GsvShells;
  readonly namespace: Namespace;
  readonly clock: Clock;
  readonly version: string;
  readonly sysFor: (context: CallContext) => Sys;
  readonly isGuarded: (path: string) => boolean;
  /** Before a script runs: what a repeated call is told, should this kernel die over it. */
  readonly begin: (receipt: Receipt) => Promise<void>;
  /** Whether a person has allowed this very call of a process. */
  readonly wasApproved: (context: CallContext) => Promise<boolean>;
}

const SESSIONS_MAX = 256;
const OUTPUT_KEPT_MS = 60_000;
const PIECE_BYTES = 384 * 1024;
const EXIT_TOO_MUCH = 153;

interface Script {
  readonly output: ScriptOutput;
  readonly stopped: AbortController;
}

export function shellsService(ports: ShellsPorts): Shells {
  const { shells, namespace, clock } = ports;
  /** The least recently used first. */
  const sessions = new Map<string, ShellState>();
  /** Those that run, and for a while those that have. */
  const scripts = new Map<string, Script>();

  async function run(context: CallContext, request: ShellRequest, { output, stopped }: Script): Promise<ShellEnd> {
    const { caller } = context;
    const approved = caller.kind !== "process" || (await ports.wasApproved(context));
    const session = request.session === undefined ? null : keyOf(context, request.session);
    const cwd = await standing(caller, request.cwd);
    let tooMuch = false;
    const end = await shells.run(
      {
        script: request.script,
        name: request.name ?? "gsv",
        args: request.args ?? [],
        cwd,
        env: environment(caller, cwd, ports.version),
        stdin: request.stdin === undefined ? new Uint8Array() : Buffer.from(request.stdin, "base64"),
        state: session === null ? null : (sessions.get(session) ?? null),
        keepsState: session !== null,
        outputBytesMax: LIMITS.shellOutputBytesMax,
        wallMs: request.timeoutMs ?? LIMITS.shellWallMs,
      },
      {
        files: shellFiles({
          namespace,
          caller: approved ? { ...caller, approved } : caller,
          isGuarded: ports.isGuarded,
          approved,
        }),
        sys: ports.sysFor(context),
        print(stream, bytes) {
          if (tooMuch || output.add(stream, bytes)) return;
          tooMuch = true;
          stopped.abort();
        },
        signal: AbortSignal.any([stopped.signal, context.signal]),
      },
    );
    if (session !== null && !end.cut) remember(session, end.state);
    return tooMuch ? { ...end, exit: EXIT_TOO_MUCH } : end;
  }

  // `exit` ends a session.
  function remember(session: string, state: ShellState | null): void {
    sessions.delete(session);
    if (state !== null) sessions.set(session, state);
    if (sessions.size > SESSIONS_MAX) sessions.delete(sessions.keys().next().value ?? "");
  }

  // Where a directory is gone, as after rm in another terminal, the root is where one stands.
  async function standing(caller: Caller, wanted: string | undefined): Promise<string> {
    const path = wanted ?? (caller.kind === "process" ? caller.cwd : caller.home);
    const stat = await namespace.stat(caller, path).catch(() => null);
    return stat?.kind === "directory" ? path : "/";
  }

  return {
    async run(context: ReceiptContext, request) {
      const key = keyOf(context, request.id);
      if (scripts.has(key)) throw new SysError("ECONFLICT", `script ${request.id} was run already`);
      if (context.receipt !== undefined) await ports.begin(context.receipt(unknown(request.id)));
      const script: Script = { output: new ScriptOutput(LIMITS.shellOutputBytesMax), stopped: new AbortController() };
      scripts.set(key, script);
      try {
        const { exit, state, cut } = await run(context, request, script);
        script.output.end();
        const over = request.session !== undefined && state === null && !cut;
        const session = state && { cwd: state.cwd, defined: state.defined };
        return { id: request.id, exit, over, session, output: shown(script.output.page(0, PIECE_BYTES)) };
      } finally {
        script.output.end();
        clock.after(OUTPUT_KEPT_MS, () => scripts.delete(key));
      }
    },

    async output(context, { id, from, waitMs }) {
      const { output } = found(scripts.get(keyOf(context, id)), id);
      await output.more(from, clock, waitMs, context.signal);
      return shown(output.page(from, PIECE_BYTES));
    },

    async stop(context, id) {
      const script = scripts.get(keyOf(context, id));
      script?.stopped.abort();
      return { stopped: script !== undefined };
    },
  };
}

function keyOf({ caller }: CallContext, id: string): string {
  return `${caller.uid}:${id}`;
}

function found(script: Script | undefined, id: string): Script {
  if (script !== undefined) return script;
  throw new SysError("ENOENT", `there is no script ${id}, or it ended more than a minute ago`);
}

function shown({ pieces, next, ended }: OutputPage): ShellOutput {
  return { pieces: pieces.map(({ stream, bytes }) => ({ stream, bytes: base64(bytes) })), next, ended };
}

function unknown(id: string): ShellAnswer {
  const text = "gsv: the kernel ended while this script ran: how far it came is not known\n";
  const bytes = Buffer.from(text);
  const pieces = [{ stream: "stderr", bytes: base64(bytes) }] as const;
  return { id, exit: 75, over: true, session: null, output: { pieces, next: bytes.byteLength, ended: true } };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

function environment(caller: Caller, cwd: string, version: string): { readonly [name: string]: string } {
  return {
    HOME: caller.home,
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
