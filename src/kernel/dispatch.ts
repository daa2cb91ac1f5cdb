// The one way into the kernel, for people, processes, the socket and tools: finds the call, checks rights, parses arguments and runs it once.
// Undeclared calls are refused, refusals are audited, and calls of a process go to its syscall log.

import { type Code, KeyReused, SysError, shortage } from "../abi/errno.ts";
import { isRoot, mayUse } from "../abi/identity.ts";
import { isRequestId } from "../abi/ids.ts";
import { KernelNeeded } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import { reveal } from "../lib/text/sanitize.ts";
import type { Receipt } from "../objects/objects.ts";
import type { AuditRows } from "../store/kernel/audit.ts";
import type { RequestRows } from "../store/kernel/requests.ts";
import type { CallContext } from "../syscalls/define.ts";
import { type ParseOptions, parseArgs } from "../syscalls/parse.ts";
import type { AnySyscall, Services } from "../syscalls/table.ts";

export interface DispatchOptions {
  /** True in the read-only view, which has no kernel. */
  readonly readOnly?: true;
  readonly table: { get(name: string): AnySyscall | undefined | Promise<AnySyscall | undefined> };
  /** The read-only view has the methods that read, and refuses all calls that need others. */
  readonly services: { readonly [S in keyof Services]?: Partial<Services[S]> };
  readonly requests: RequestRows;
  readonly audit: AuditRows;
  readonly clock: Clock;
  /** The bounded log of a process's own calls. */
  readonly logCall: (
    pid: string,
    row: { at: number; call: string; args: unknown; outcome: string; ms: number },
  ) => Promise<void>;
  /** Internal error: log it and return a one-line error. Other calls continue. */
  readonly onFault: (error: unknown) => void;
  /** Redacts known secrets in an error message. */
  readonly conceal?: (text: string) => string;
  /** Measures calls; null if nobody reads the times. */
  readonly timer?: () => CallTimer | null;
  /** False for calls that the kernel makes on behalf of a caller. */
  readonly auditPrivileged?: true;
}

/** Lets a handler store its answer in the same transaction as its effect. */
export interface ReceiptContext extends CallContext {
  readonly receipt?: (answer: unknown) => Receipt;
}

/** Keyed calls allowed in mode plan: they change nothing there. */
const PLANS = ["shell.exec", "shell.run", "shell.stop", "shell.signal", "hil.ask", "codemode.exec", "net.fetch"];
const NEVER = new AbortController().signal;

/** `outcome` is `ok` or an error code. */
export type CallTimer = (name: string, outcome: string, ms: number) => void;

export type Dispatch = (name: string, args: unknown, context: CallContext, parse?: ParseOptions) => Promise<unknown>;

export function makeDispatch(options: DispatchOptions): Dispatch {
  const { table, clock, audit } = options;
  const services = options.services as Services;
  /** Running keyed calls. A repeated request joins the first. */
  const underWay = new Map<string, { readonly bodyHash: string; readonly answer: Promise<unknown> }>();
  const ids = new RequestIds();

  return async function dispatch(name, args, context, parse = { unknownKeys: "drop" }) {
    const startedAt = clock.mono();
    const at = clock.now();
    const call = await table.get(name);
    let outcome = "ok";
    try {
      authorise(call, name, context);
      const parsed = parseArgs(call.input, args, parse);
      const answer = await once(call, parsed, context);
      if (isPrivileged(call, context)) await note(name, context, { outcome, detail: targetOf(call, parsed) });
      return answer;
    } catch (error) {
      const fault = oneLine(concealed(asSysError(error)));
      outcome = fault.code;
      if (isDenial(fault.code) || (call !== undefined && isPrivileged(call, context)))
        await note(name, context, { outcome, detail: fault.message });
      throw fault;
    } finally {
      // Names that are no calls must not make series without end.
      options.timer?.()?.(call === undefined ? "unknown" : name, outcome, clock.mono() - startedAt);
      if (context.caller.pid !== undefined) {
        await options.logCall(context.caller.pid, {
          at,
          call: name,
          args: withoutSecrets(call, args),
          outcome,
          ms: Math.round((clock.mono() - startedAt) * 1000) / 1000,
        });
      }
    }
  };

  function authorise(call: AnySyscall | undefined, name: string, { caller }: CallContext): asserts call is AnySyscall {
    if (call === undefined) throw new SysError("ENOSYS", `no such syscall: ${name.slice(0, 80).toWellFormed()}`);
    if (!mayUse(caller, call.capability)) {
      const who =
        caller.pid !== undefined && mayUse({ ...caller, dropped: [] }, call.capability) ? caller.pid : caller.username;
      throw new SysError(
        "EPERM",
        `${who} may not call ${name} (needs ${call.capability})`,
        caller.kind === "person" ? ["as root: --user root"] : [],
      );
    }
    if (caller.kind !== "person" && call.by !== "anyone" && !(call.by === "approved" && caller.approved))
      throw new SysError(
        "EPERM",
        `${name} is for people: ${caller.pid === undefined ? "this token" : "a process"} may not call it`,
      );
    if (caller.looksOnly && call.class === "keyed" && !PLANS.includes(call.name))
      throw new SysError("EPERM", `${name} is not allowed in mode plan (${caller.pid})`, [
        "present what you would do with the tool Plan; only the user can change the mode",
      ]);
    if (options.readOnly && call.class !== "read") throw new KernelNeeded();
  }

  async function once(call: AnySyscall, args: object, context: CallContext): Promise<unknown> {
    if (call.class !== "keyed") return await call.run(services, args as never, context);
    if (!isRequestId(context.requestId))
      throw new SysError("EINVAL", "the request id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -");
    // A client that disconnects does not cancel its call. The calls of a process end with its run.
    const steady = context.caller.kind !== "process" ? { ...context, signal: NEVER, gone: context.signal } : context;
    const key = `${context.caller.uid}:${context.requestId}`;
    const bodyHash = bodyHashOf(call, args);
    const running = underWay.get(key);
    if ((running !== undefined && running.bodyHash !== bodyHash) || ids.isOther(key, bodyHash))
      throw usedForSomethingElse(context.requestId);
    if (running !== undefined) {
      context.onRepeat?.("running");
      return await running.answer;
    }
    const answer = call.once === "answer" ? remembered(call, args, steady) : call.run(services, args as never, steady);
    underWay.set(key, { bodyHash, answer });
    try {
      const answered = await answer;
      ids.used(key, bodyHash);
      return answered;
    } finally {
      underWay.delete(key);
    }
  }

  async function remembered(call: AnySyscall, args: object, context: CallContext): Promise<unknown> {
    const { caller, requestId } = context;
    // A stored checksum of a password would let it be guessed.
    const bodyHash = bodyHashOf(call, withoutSecrets(call, args));
    const known = await options.requests.answered(caller.uid, requestId, bodyHash);
    if (known !== null) {
      if (!known.sameBody) throw usedForSomethingElse(requestId);
      context.onRepeat?.("answered");
      return known.answer;
    }
    const receipt = (answer: unknown): Receipt => ({ uid: caller.uid, requestId, bodyHash, answer, now: clock.now() });
    const withReceipt: ReceiptContext = { ...context, receipt };
    const answer = await call.run(services, args as never, withReceipt);
    // No-op if the receipt was stored together with the effect.
    await options.requests.remember(receipt(answer));
    return answer;
  }

  // Audits calls for people only, and every call of root.
  function isPrivileged(call: AnySyscall, { caller }: CallContext): boolean {
    return (options.auditPrivileged === true && isRoot(caller)) || (call.by !== "anyone" && call.class === "keyed");
  }

  async function note(
    name: string,
    { caller }: CallContext,
    { outcome, detail }: { readonly outcome: string; readonly detail: string },
  ): Promise<void> {
    const row = {
      at: Math.floor(clock.now()),
      uid: caller.uid,
      pid: caller.pid ?? null,
      call: name.slice(0, 80),
      outcome,
      detail,
    };
    // A full disk must not turn a refusal into another error.
    await audit.add(row).catch(options.onFault);
  }

  function concealed(error: SysError): SysError {
    const { conceal } = options;
    return conceal === undefined ? error : reworded(error, conceal);
  }

  function asSysError(error: unknown): SysError {
    if (error instanceof SysError) return error;
    options.onFault(error);
    return shortage(error) ?? new SysError("EIO", "internal error; see log/kernel.log");
  }
}

/** Messages may quote paths with line ends: keep them on one line. */
function oneLine(error: SysError): SysError {
  const message = reveal(error.message);
  const hints = error.hints.map(reveal);
  const same = message === error.message && hints.every((hint, index) => hint === error.hints[index]);
  return same ? error : reworded(error, reveal);
}

function reworded(error: SysError, word: (text: string) => string): SysError {
  const message = word(error.message);
  return error instanceof KeyReused ? new KeyReused(message) : new SysError(error.code, message, error.hints.map(word));
}

function usedForSomethingElse(requestId: string): SysError {
  return new KeyReused(`request id ${requestId} was already used for another request`);
}

function isDenial(code: Code): boolean {
  return code === "EPERM" || code === "EACCES" || code === "ENOSYS" || code === "EAUTH";
}

const DETAIL_CHARS_MAX = 200;

/** Short summary of the arguments: names and choices, no long texts and no secrets. */
function targetOf(call: AnySyscall, args: object): string {
  const words = Object.entries(args)
    .filter(
      ([name, value]) =>
        !call.input[name]?.secret && (typeof value !== "string" || value.length <= 80) && value !== false,
    )
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return reveal(words.join(" ")).slice(0, DETAIL_CHARS_MAX).toWellFormed();
}

function bodyHashOf(call: AnySyscall, args: unknown): string {
  return sha256Hex(JSON.stringify([call.name, args]));
}

function withoutSecrets(call: AnySyscall | undefined, args: unknown): unknown {
  const secret = Object.entries(call?.input ?? {}).filter(([, spec]) => spec.secret);
  if (secret.length === 0 || typeof args !== "object" || args === null) return args;
  return {
    ...args,
    ...Object.fromEntries(secret.filter(([name]) => name in args).map(([name]) => [name, "[secret]"])),
  };
}

const KEPT_MAX = 10_000;

/** The latest request ids with a checksum of their arguments, so that one id for two calls is refused. Answers are in the stores. */
class RequestIds {
  /** Oldest first. */
  private readonly bodies = new Map<string, string>();

  /** True if the id was used for another call. */
  isOther(key: string, bodyHash: string): boolean {
    const known = this.bodies.get(key);
    return known !== undefined && known !== bodyHash;
  }

  used(key: string, bodyHash: string): void {
    this.bodies.delete(key);
    this.bodies.set(key, bodyHash);
    const [oldest] = this.bodies.keys();
    if (this.bodies.size > KEPT_MAX && oldest !== undefined) this.bodies.delete(oldest);
  }
}
