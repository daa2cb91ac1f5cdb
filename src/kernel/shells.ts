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
import type { ShellAnswer, ShellRequest, Shells } from "../syscalls/shell-service.ts";
import type { GsvShells } from "../targets/gsv.ts";
import type { ShellEnd, ShellState } from "../targets/shell.ts";
import type { ReceiptContext } from "./dispatch.ts";
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
const OUTPUTS_KEPT_MS = 60_000;
/** Of each stream, in the first answer. */
const FIRST_PIECE_BYTES = 192 * 1024;
const PIECE_BYTES = 512 * 1024;

interface Running {
  readonly uid: number;
  readonly stopped: AbortController;
}

interface Output {
  readonly uid: number;
  readonly streams: { readonly stdout: Uint8Array; readonly stderr: Uint8Array };
  readonly forget: () => void;
}

export function shellsService(ports: ShellsPorts): Shells {
  const { shells, namespace, clock } = ports;
  /** The least recently used first. */
  const sessions = new Map<string, ShellState>();
  const running = new Map<string, Running>();
  const outputs = new Map<string, Output>();

  async function run(context: CallContext, request: ShellRequest): Promise<ShellEnd> {
    const { caller } = context;
    const approved = caller.kind !== "process" || (await ports.wasApproved(context));
    const session = request.session === undefined ? null : `${caller.uid}:${request.session}`;
    const state = session === null ? null : (sessions.get(session) ?? null);
    const stopped = new AbortController();
    const id = `${caller.uid}:${request.id}`;
    if (running.has(id)) throw new SysError("ECONFLICT", `script ${request.id} runs already`);
    running.set(id, { uid: caller.uid, stopped });
    try {
      const cwd = await standing(caller, request.cwd);
      const end = await shells.run(
        {
          script: request.script,
          name: request.name ?? "gsv",
          args: request.args ?? [],
          cwd,
          env: environment(caller, cwd, ports.version),
          stdin: request.stdin === undefined ? new Uint8Array() : Buffer.from(request.stdin, "base64"),
          state,
          keepsState: session !== null,
          outputBytesMax: LIMITS.shellOutputBytesMax,
          wallMs: request.timeoutMs ?? LIMITS.shellWallMs,
        },
        {
          files: shellFiles({ namespace, caller, isGuarded: ports.isGuarded, approved }),
          sys: ports.sysFor(context),
          signal: AbortSignal.any([stopped.signal, context.signal]),
        },
      );
      if (session !== null && end.state !== null) remember(session, end.state);
      return end;
    } finally {
      running.delete(id);
    }
  }

  function remember(session: string, state: ShellState): void {
    sessions.delete(session);
    sessions.set(session, state);
    if (sessions.size > SESSIONS_MAX) sessions.delete(sessions.keys().next().value ?? "");
  }

  // Where a directory is gone, as after rm in another terminal, home is where one stands.
  async function standing(caller: Caller, wanted: string | undefined): Promise<string> {
    const path = wanted ?? (caller.kind === "process" ? caller.cwd : caller.home);
    const stat = await namespace.stat(caller, path).catch(() => null);
    return stat?.kind === "directory" ? path : "/";
  }

  function keep(context: CallContext, id: string, { stdout, stderr }: ShellEnd): void {
    const key = `${context.caller.uid}:${id}`;
    const cancel = clock.after(OUTPUTS_KEPT_MS, () => outputs.delete(key));
    outputs.set(key, {
      uid: context.caller.uid,
      streams: { stdout, stderr },
      forget: () => {
        cancel();
        outputs.delete(key);
      },
    });
  }

  return {
    async run(context: ReceiptContext, request) {
      if (context.receipt !== undefined) await ports.begin(context.receipt(unknown(request.id)));
      const end = await run(context, request);
      const { exit, stdout, stderr } = end;
      const more = stdout.byteLength > FIRST_PIECE_BYTES || stderr.byteLength > FIRST_PIECE_BYTES;
      if (more) keep(context, request.id, end);
      return {
        id: request.id,
        exit,
        stdout: base64(stdout.subarray(0, FIRST_PIECE_BYTES)),
        stderr: base64(stderr.subarray(0, FIRST_PIECE_BYTES)),
        stdoutBytes: stdout.byteLength,
        stderrBytes: stderr.byteLength,
      };
    },

    async output(caller, { id, stream, offset }) {
      const kept = outputs.get(`${caller.uid}:${id}`);
      if (kept === undefined) throw new SysError("ENOENT", `there is no output of a script ${id} any more`);
      const bytes = kept.streams[stream];
      const piece = bytes.subarray(offset, offset + PIECE_BYTES);
      const { stdout, stderr } = kept.streams;
      const last = stream === "stderr" || stderr.byteLength <= FIRST_PIECE_BYTES;
      if (last && offset + piece.byteLength >= (stream === "stderr" ? stderr : stdout).byteLength) kept.forget();
      return { bytes: base64(piece), eof: offset + piece.byteLength >= bytes.byteLength };
    },

    async stop(caller, id) {
      const found = running.get(`${caller.uid}:${id}`);
      found?.stopped.abort();
      return { stopped: found !== undefined };
    },
  };
}

function unknown(id: string): ShellAnswer {
  const stderr = Buffer.from("gsv: the kernel ended while this script ran: how far it came is not known\n");
  return { id, exit: 75, stdout: "", stderr: base64(stderr), stdoutBytes: 0, stderrBytes: stderr.byteLength };
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
