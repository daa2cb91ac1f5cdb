// The wire format: one JSON object a line, at most 1 MiB, nested at most 200 deep. Encodes and decodes frames; the stream may be cut at any
// byte. A line that is too long, too deep, not UTF-8, not JSON or not a frame is EPROTO and ends the connection. `hello`, `helloOk`,
// `refused` and `bye` only get new fields: every version of gsv understands them.

import { LIMITS } from "../abi/config/limits.ts";
import { type Code, isCode, SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import type { Signal, SignalFilter } from "../abi/signal.ts";
import { type ClientInfo, LEAVE_REASONS, type LeaveReason, type ProtocolRange } from "../abi/sys.ts";
import { isNestedDeeper } from "../lib/depth.ts";
import { sizeText } from "../lib/text/size.ts";
import { protocolIn } from "./protocol.ts";

export interface WireError {
  readonly code: Code;
  readonly message: string;
  readonly hints: readonly string[];
}

export interface KernelIdentity {
  readonly version: string;
  readonly protocol: ProtocolRange;
  readonly pid: number;
  /** The binary of the kernel, for error messages. */
  readonly exe: string;
}

export type ClientFrame =
  | ({ readonly kind: "hello"; readonly login?: Credentials } & ClientInfo)
  | {
      readonly kind: "req";
      readonly id: number;
      readonly name: string;
      readonly args: object;
      readonly requestId?: string;
    }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "sub"; readonly id: number; readonly filter: SignalFilter }
  | { readonly kind: "unsub"; readonly id: number };

export type ServerFrame =
  | ({ readonly kind: "helloOk" } & KernelIdentity)
  | { readonly kind: "refused"; readonly error: WireError }
  | { readonly kind: "res"; readonly id: number; readonly value: unknown }
  | { readonly kind: "res"; readonly id: number; readonly error: WireError }
  | { readonly kind: "sig"; readonly sub: number; readonly signal: Signal }
  | { readonly kind: "bye"; readonly why: LeaveReason };

type Loose = { readonly [key: string]: unknown };

/** One line with its newline. `about` names the content in the error if it is too long. */
export function encodeFrame(frame: ClientFrame | ServerFrame, about: string): string {
  const text = encoded(frame, about);
  checkSize(text, about, frame.kind);
  // The answers of a kernel were checked when they came in.
  if (frame.kind === "req" && isNestedDeeper(text, LIMITS.jsonDepthMax))
    throw new SysError("EINVAL", `${about} is nested deeper than ${LIMITS.jsonDepthMax}`);
  return `${text}\n`;
}

const signalTexts = new WeakMap<Signal, string>();

/** One signal goes to many subscribers, so it is encoded once. */
export function encodeSignal(sub: number, signal: Signal): string {
  let text = signalTexts.get(signal);
  if (text === undefined) {
    text = `${encoded(signal, signal.name)}}\n`;
    signalTexts.set(signal, text);
  }
  const frame = `{"kind":"sig","sub":${sub},"signal":${text}`;
  checkSize(frame, signal.name, "sig");
  return frame;
}

function encoded(value: ClientFrame | ServerFrame | Signal, about: string): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw new SysError("EINVAL", `${about} is not plain JSON, or is nested too deep`);
  }
}

function checkSize(text: string, about: string, kind: (ClientFrame | ServerFrame)["kind"]): void {
  // A UTF-16 unit takes at most three bytes, so most frames need no counting.
  const bytes = text.length * 3 <= LIMITS.frameBytesMax ? 0 : Buffer.byteLength(text);
  if (bytes <= LIMITS.frameBytesMax) return;
  throw new SysError(
    "EFBIG",
    `${about}: too long: ${sizeText(bytes)}; the limit is ${sizeText(LIMITS.frameBytesMax)}`,
    [kind === "req" ? "put it in a file, and name that file: gsv cp - '~/long.txt' < FILE" : "ask for less at once"],
  );
}

export class FrameDecoder {
  private readonly utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  private parts: Uint8Array[] = [];
  private partBytes = 0;

  /** `from`: frames of clients are checked for depth; those of a kernel are trusted. */
  constructor(
    private readonly onFrame: (frame: Loose) => void,
    private readonly from: "client" | "kernel" = "client",
  ) {}

  /** Whether the start of a frame waits for its rest. */
  get isWithinFrame(): boolean {
    return this.partBytes > 0;
  }

  /** Passes on complete frames in order. Throws EPROTO at the first error, after the frames before it. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(10, start);
      const piece = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (this.partBytes + piece.length > LIMITS.frameBytesMax) throw broken("a frame is longer than 1 MiB");
      if (end === -1) {
        // The socket reuses the memory of the chunk, so copy what stays.
        if (piece.length > 0) this.parts.push(piece.slice());
        this.partBytes += piece.length;
        return;
      }
      this.onFrame(this.parse(this.joined(piece)));
      start = end + 1;
    }
  }

  private joined(last: Uint8Array): Uint8Array {
    if (this.parts.length === 0) return last;
    const whole = Buffer.concat([...this.parts, last]);
    this.parts = [];
    this.partBytes = 0;
    return whole;
  }

  private parse(line: Uint8Array): Loose {
    let value: unknown;
    try {
      const text = this.utf8.decode(line);
      if (this.from === "client" && isNestedDeeper(text, LIMITS.jsonDepthMax))
        throw broken("a frame is nested too deep");
      value = JSON.parse(text);
    } catch (error) {
      throw error instanceof SysError ? error : broken("a frame is not JSON");
    }
    if (!isObject(value)) throw broken("a frame is not an object");
    return value;
  }
}

export function checkClientFrame(frame: Loose): ClientFrame {
  switch (frame.kind) {
    case "hello":
      return { kind: "hello", ...checkInfo(frame), ...checkLogin(frame.login) };
    case "req": {
      const { name, args, requestId } = frame;
      if (typeof name !== "string" || name.length > 100 || !isObject(args))
        throw broken("a call has no name or arguments");
      if (requestId === undefined) return { kind: "req", id: checkId(frame.id), name, args };
      if (typeof requestId !== "string") throw broken("a request id is not text");
      return { kind: "req", id: checkId(frame.id), name, args, requestId };
    }
    case "sub":
      return { kind: "sub", id: checkId(frame.id), filter: checkFilter(frame.filter) };
    case "cancel":
    case "unsub":
      return { kind: frame.kind, id: checkId(frame.id) };
    default:
      throw broken("a frame is of no known kind");
  }
}

/** null for an unknown kind, which a newer kernel may send. */
export function checkServerFrame(frame: Loose): ServerFrame | null {
  switch (frame.kind) {
    case "helloOk": {
      const { version, pid, exe } = frame;
      if (typeof version !== "string" || typeof pid !== "number") throw broken("the kernel does not say what it is");
      const protocol = protocolIn(frame.protocol);
      return { kind: "helloOk", version, protocol, pid, exe: typeof exe === "string" ? exe : "gsv" };
    }
    case "refused":
      return { kind: "refused", error: checkError(frame.error) };
    case "res": {
      const id = checkId(frame.id);
      return frame.error === undefined
        ? { kind: "res", id, value: frame.value ?? null }
        : { kind: "res", id, error: checkError(frame.error) };
    }
    case "sig":
      if (!isObject(frame.signal)) throw broken("a signal is not an object");
      return { kind: "sig", sub: checkId(frame.sub), signal: frame.signal as unknown as Signal };
    case "bye":
      return { kind: "bye", why: LEAVE_REASONS.find((why) => why === frame.why) ?? "restart" };
    default:
      return null;
  }
}

export function toWire(error: SysError): WireError {
  return { code: error.code, message: error.message, hints: error.hints };
}

export function fromWire(error: WireError): SysError {
  return new SysError(error.code, error.message, error.hints);
}

function checkInfo(frame: Loose): ClientInfo {
  const { clientId, version, cwd, env, flags = {} } = frame;
  if (typeof clientId !== "string" || clientId === "" || clientId.length > 128) throw broken("hello has no client id");
  if (typeof version !== "string" || version.length > 100) throw broken("hello has no version");
  if (typeof cwd !== "string" || Buffer.byteLength(cwd) > LIMITS.pathBytesMax) throw broken("hello has no directory");
  if (!isObject(env)) throw broken("hello has no environment");
  if (!isObject(flags)) throw broken("the settings of hello are not an object");
  const said = textsOf(flags);
  return {
    ...{ clientId, version, protocol: protocolIn(frame.protocol), cwd, env: textsOf(env) },
    ...(Object.keys(said).length > 0 && { flags: said }),
  };
}

function textsOf(values: Loose): { readonly [name: string]: string } {
  const texts = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts);
}

// A client with credentials must never get the rights of the home's person.
function checkLogin(value: unknown): { readonly login?: Credentials } {
  if (value === undefined) return {};
  if (!isObject(value)) throw broken("the credentials are not an object");
  const { user, password, token, key } = value;
  const texts = Object.entries({ user, password, token, key }).filter(([, text]) => typeof text === "string");
  return { login: Object.fromEntries(texts) };
}

function checkFilter(value: unknown): SignalFilter {
  if (!isObject(value)) throw broken("a filter is not an object");
  const { pid, run, names, mine } = value;
  if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === "string"))) {
    throw broken("a filter's names are not texts");
  }
  return {
    ...(typeof pid === "string" && { pid }),
    ...(typeof run === "string" && { run }),
    ...(names !== undefined && { names: names as string[] }),
    ...(mine === true && { mine }),
  };
}

function checkError(value: unknown): WireError {
  if (!isObject(value)) throw broken("an error is not an object");
  const { code, message, hints } = value;
  return {
    code: isCode(code) ? code : "EIO",
    message: typeof message === "string" ? message : "the kernel gave no reason",
    hints: Array.isArray(hints) ? hints.filter((hint): hint is string => typeof hint === "string") : [],
  };
}

function checkId(value: unknown): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw broken("an id is not a number");
  return value;
}

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function broken(what: string): SysError {
  return new SysError("EPROTO", `not gsv's protocol: ${what}`, ["check that both ends run gsv"]);
}
