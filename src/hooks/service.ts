// The service behind hooks.*. A hook runs as the OS user of gsv, so only the person of the home and root may allow one. A decision is for the
// checksum that was shown. Nothing runs without being allowed first.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { HOOK_NAME, type HookEvent, VETO } from "../abi/hook.ts";
import { type Caller, isRoot } from "../abi/identity.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { HooksService } from "../syscalls/system/hooks.ts";
import { eventOf, type Hooks, noSuchHook } from "./hooks.ts";
import { eventJson } from "./notices.ts";
import type { About, Runs } from "./run.ts";

export interface HooksServicePorts {
  readonly hooks: Hooks;
  readonly run: Runs;
  readonly isPersonOfHome: (uid: number) => Promise<boolean>;
  readonly now: () => number;
}

export function hooksService({ hooks, run, isPersonOfHome, now }: HooksServicePorts): HooksService {
  async function mine({ caller }: CallContext, hook: string) {
    if (!HOOK_NAME.test(hook))
      throw new SysError("EINVAL", "hook names have the form EVENT/NAME", ["list the hooks: gsv hooks list"]);
    if (!(await areTheirs(caller))) throw noSuchHook(hook);
    return hooks.get(caller.ownerUid, hook);
  }

  async function areTheirs(caller: Caller): Promise<boolean> {
    return isRoot(caller) || (await isPersonOfHome(caller.ownerUid));
  }

  return {
    list: async ({ caller }) => ({ hooks: (await areTheirs(caller)) ? hooks.list(caller.ownerUid) : [] }),

    async show(context, hook) {
      const info = await mine(context, hook);
      if (info.sha256 === null) return { ...info, bytes: 0, text: null, cut: false };
      const bytes = hooks.bytes(info);
      const text = textOf(bytes);
      return {
        ...info,
        bytes: bytes.length,
        text: text?.slice(0, SHOWN_CHARS_MAX).toWellFormed() ?? null,
        cut: (text?.length ?? 0) > SHOWN_CHARS_MAX,
      };
    },

    async allow(context, { hook, sha256 }) {
      const info = await mine(context, hook);
      if (info.sha256 === null) throw new SysError("EPERM", `${hook} is refused: ${info.why}`, [info.fix ?? ""]);
      if (info.sha256 !== sha256)
        throw new SysError("ECONFLICT", `${hook} has changed since you looked at it; nothing was allowed`, [
          `review it again: gsv hooks allow ${hook}`,
        ]);
      await hooks.decide(deciderOf(context), { hook, sha256 }, "allowed");
      return hooks.get(context.caller.ownerUid, hook);
    },

    async deny(context, hook) {
      const { sha256 } = await mine(context, hook);
      await hooks.decide(deciderOf(context), { hook, sha256: sha256 ?? "" }, "denied");
      return hooks.get(context.caller.ownerUid, hook);
    },

    async run(context, { hook, event }) {
      const { path, state } = await mine(context, hook);
      if (state !== "allowed")
        throw new SysError("EPERM", `${hook} is ${state}: it does not run`, [`review it: gsv hooks allow ${hook}`]);
      const kind = eventOf(hook);
      const about: About = { ownerUid: context.caller.ownerUid, pid: SAMPLE_PID, parent: null, at: now() };
      const text = event === undefined ? eventJson(kind, about, SAMPLES[kind]) : objectIn(event);
      const end = await run({ hook, path }, about, text, context.gone ?? context.signal);
      const isGood = end.how === "exited" && end.status === 0;
      return { hook, event: text, ...end, refuses: kind === VETO ? !isGood : null };
    },
  };
}

const SHOWN_CHARS_MAX = LIMITS.textPieceCharsMax;
const SAMPLE_PID = "task:sample";

function deciderOf({ caller }: CallContext) {
  return { uid: caller.ownerUid, username: caller.username };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

function objectIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return JSON.stringify(value);
  } catch {
    // The same error as for JSON that is no object.
  }
  throw new SysError("EINVAL", "an event must be one JSON object");
}

const CALL = { callId: "call_1", tool: "Shell", call: "shell.exec" };
const COMMAND = { target: "host", command: "rm -rf build" };
const USAGE = { tokensIn: 1200, tokensOut: 80, costUsd: 0.004 };

/** A sample of each event, for testing hooks. */
const SAMPLES: { readonly [Event in HookEvent]: object } = {
  "run-start": { model: "offline" },
  prompt: { text: "Tidy up the build directory.", from: "person" },
  "tool-before": { ...CALL, args: COMMAND, approved: false },
  "tool-after": { ...CALL, ok: true, output: "" },
  approval: { id: "k3x9", kind: "approval", tool: "Shell", call: "shell.exec", args: COMMAND, why: "it deletes" },
  "run-end": { status: "ok", reason: "turn.complete", text: "Done.", error: null, usage: USAGE, mergedInto: null },
  "process-start": { label: "tidy up" },
  "process-end": { archive: null },
  reset: { archive: null },
  compact: { cause: "pressure", fromSeq: 1, toSeq: 40, tokensBefore: 90_000, tokensAfter: 12_000 },
  notification: { why: "run-end", title: "task:sample: ok", text: "Done." },
};
