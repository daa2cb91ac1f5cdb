// Changes of session settings by path: label, model, thinking level, system prompt, answer length and reset policy. All but the reset
// policy are settings of the session's process.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import {
  RESET_MODES,
  type ResetMode,
  type ResetPolicy,
  SESSION_PATHS,
  type SessionPath,
} from "../abi/process/session.ts";
import type { Clock } from "../lib/clock.ts";
import { nearest } from "../lib/text/nearest.ts";
import { clip } from "../lib/text/truncate.ts";
import { keepOwn, limitsOf } from "../process/life/own-settings.ts";
import { modelOfProcess } from "../process/run/model-choice.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { CallContext } from "../syscalls/define.ts";
import { refuseControl } from "../syscalls/parse.ts";
import type { Prompts } from "../syscalls/proc/prompt.ts";
import type { ModelService } from "../syscalls/run/ai.ts";
import type { Processes } from "../syscalls/services.ts";
import { type ModelParts, modelWith, SYSTEM_PROMPT_FILE, splitModel } from "./model-parts.ts";
import { defaultPolicy } from "./renewal.ts";
import type { Routed } from "./routes.ts";

export interface ChangePorts {
  readonly kernel: KernelStore;
  readonly processes: Pick<Processes, "label">;
  readonly models: Pick<ModelService, "ofProcess" | "thinking">;
  readonly prompts: Pick<Prompts, "setFile" | "files">;
  readonly clock: Clock;
}

interface Changing {
  readonly ports: ChangePorts;
  readonly context: CallContext;
  readonly routed: Routed;
  readonly path: SessionPath;
  readonly value: unknown;
  /** The value as it was typed. */
  readonly written: string;
}

/** The new value, and a note about other changes. */
interface Done {
  readonly value: unknown;
  readonly note?: string;
}

type Change = (changing: Changing) => Promise<Done>;

const PATHS: { readonly [path in SessionPath]: Change } = {
  label: setLabel,
  "model.provider": (changing) => setModel(changing, { provider: textOrNull(changing) }),
  "model.id": (changing) => setModel(changing, { id: textOrNull(changing) }),
  thinkingLevel: setThinking,
  systemPrompt: setPrompt,
  maxTokens: setMaxTokens,
  "resetPolicy.mode": (changing) => setPolicy(changing, { mode: modeOf(changing) }),
  "resetPolicy.atHour": (changing) => setPolicy(changing, { atHour: count(changing, { min: 0, max: 23 }) }),
  "resetPolicy.idleMinutes": (changing) =>
    setPolicy(changing, { idleMinutes: count(changing, { min: 1, max: 1_000_000_000 }) }),
};

/** A prefix `settings.` is ignored. Throws EINVAL for an unknown path. */
export function changeNamed(written: string): { readonly path: SessionPath; readonly change: Change } {
  const named = written.replace(/^settings\./, "");
  const path = SESSION_PATHS.find((each) => each === named);
  if (path !== undefined) return { path, change: PATHS[path] };
  const close = nearest(named, SESSION_PATHS).map((each) => `did you mean ${each}`);
  throw new SysError("EINVAL", `no such path: ${written.slice(0, 80).toWellFormed()}`, [
    ...close,
    `paths are ${SESSION_PATHS.join(", ")}`,
  ]);
}

/** JSON if it parses, else the text. */
export function valueWritten(written: string): unknown {
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return written;
  }
}

async function setLabel(changing: Changing): Promise<Done> {
  const { ports, context, routed } = changing;
  const label = textOrNull(changing) ?? "";
  if (label === "" || label.length > LIMITS.labelCharsMax)
    throw new SysError("EINVAL", `a label has 1 to ${LIMITS.labelCharsMax} characters`);
  refuseControl("label", label);
  await ports.processes.label(context, { pid: routed.row.pid, label });
  return { value: label };
}

async function setModel({ ports, context, routed }: Changing, change: Partial<ModelParts>): Promise<Done> {
  const { pid } = routed.row;
  const before = splitModel(await modelOfProcess(ports.kernel, routed.row));
  const { model } = await ports.models.ofProcess(context, pid, modelWith(before, change));
  const now = splitModel(model);
  const isProvider = change.provider !== undefined;
  const isDropped = isProvider && before.id !== null && now.id === null && change.provider !== null;
  const note = isDropped ? `${before.id} was a model of ${before.provider}: model.id is not set now` : null;
  return { value: isProvider ? now.provider : now.id, ...(note === null ? {} : { note }) };
}

async function setThinking(changing: Changing): Promise<Done> {
  const { ports, context, routed } = changing;
  const { thinking } = await ports.models.thinking(context, routed.row.pid, textOrNull(changing) ?? "");
  return { value: thinking };
}

async function setPrompt(changing: Changing): Promise<Done> {
  const { ports, context, routed } = changing;
  const { pid } = routed.row;
  const text = textOrNull(changing);
  const { files } = await ports.prompts.files(context.caller, pid);
  const isThere = files.some(({ name }) => name === SYSTEM_PROMPT_FILE);
  if (text !== null || isThere) await ports.prompts.setFile(context, { pid, name: SYSTEM_PROMPT_FILE, text });
  return { value: text };
}

async function setMaxTokens(changing: Changing): Promise<Done> {
  const { ports, context, routed, value } = changing;
  const tokens = value === null || value === "" ? null : count(changing, limitsOf("maxTokens"));
  const by = { uid: context.caller.uid, now: ports.clock.now() };
  const change = { name: "maxTokens", value: tokens === null ? null : String(tokens) } as const;
  await keepOwn(ports.kernel, routed.row.pid, change, by);
  return { value: tokens };
}

async function setPolicy({ ports, routed }: Changing, change: Partial<ResetPolicy>): Promise<Done> {
  const { kernel, clock } = ports;
  const { id, ownerUid, resetPolicy } = routed.session;
  const before = resetPolicy ?? (await defaultPolicy(kernel, ownerUid));
  await kernel.sessions.change(id, { resetPolicy: { ...before, ...change } }, clock.now());
  return { value: Object.values(change)[0] };
}

/** An empty value or null removes the setting. */
function textOrNull(changing: Changing): string | null {
  const { value } = changing;
  if (value === null || value === "") return null;
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw invalid(changing, "text");
}

function count(changing: Changing, { min, max }: { readonly min: number; readonly max: number }): number {
  const { value } = changing;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(changing, `a whole number from ${min} to ${max}`);
}

function modeOf(changing: Changing): ResetMode {
  const mode = RESET_MODES.find((each) => each === changing.value);
  if (mode !== undefined) return mode;
  throw invalid(changing, `one of ${RESET_MODES.join(", ")}`);
}

function invalid({ path, written }: Changing, expected: string): SysError {
  return new SysError("EINVAL", `${path} must be ${expected}, not ${written === "" ? '""' : clip(written)}`);
}
