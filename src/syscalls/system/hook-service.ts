// The service behind hooks.*, as types.

import type { HookInfo } from "../../abi/hook.ts";
import type { CallContext } from "../define.ts";

/** What a person reads before they allow it. */
export interface ShownHook extends HookInfo {
  readonly bytes: number;
  /** Its beginning; null where it is not text. */
  readonly text: string | null;
  /** There is more of it than is shown. */
  readonly cut: boolean;
}

/** How one run of a hook ended. */
export interface TriedHook {
  readonly hook: string;
  /** What it was told, as JSON. */
  readonly event: string;
  readonly how: "exited" | "timeout" | "cut" | "not started";
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  /** A tool call would be refused by it; null where it decides nothing. */
  readonly refuses: boolean | null;
}

export interface HooksService {
  list(context: CallContext): Promise<{ readonly hooks: readonly HookInfo[] }>;
  show(context: CallContext, hook: string): Promise<ShownHook>;
  /** Only while it still has this checksum. */
  allow(context: CallContext, asked: { readonly hook: string; readonly sha256: string }): Promise<HookInfo>;
  deny(context: CallContext, hook: string): Promise<HookInfo>;
  /** Runs an allowed one with an event of the caller's, or without it with one like those it is told. */
  run(context: CallContext, asked: { readonly hook: string; readonly event?: string }): Promise<TriedHook>;
}
