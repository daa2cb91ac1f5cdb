// The service behind hooks.*, as types.

import type { HookInfo } from "../../abi/hook.ts";
import type { CallContext } from "../define.ts";

/** What a person sees before allowing the hook. */
export interface ShownHook extends HookInfo {
  readonly bytes: number;
  /** The first part; null for a binary file. */
  readonly text: string | null;
  /** The text is cut. */
  readonly cut: boolean;
}

/** The outcome of one run. */
export interface TriedHook {
  readonly hook: string;
  /** The event as JSON. */
  readonly event: string;
  readonly how: "exited" | "timeout" | "cut" | "not started";
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  /** Whether a tool call would be refused; null if the hook only listens. */
  readonly refuses: boolean | null;
}

export interface HooksService {
  list(context: CallContext): Promise<{ readonly hooks: readonly HookInfo[] }>;
  show(context: CallContext, hook: string): Promise<ShownHook>;
  /** Holds only while the hook has this checksum. */
  allow(context: CallContext, asked: { readonly hook: string; readonly sha256: string }): Promise<HookInfo>;
  deny(context: CallContext, hook: string): Promise<HookInfo>;
  /** Runs an allowed hook, with a sample event if none is given. */
  run(context: CallContext, asked: { readonly hook: string; readonly event?: string }): Promise<TriedHook>;
}
