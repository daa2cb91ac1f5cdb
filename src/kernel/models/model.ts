// A model that a run can ask: its provider, its names, its price and its limits.

import type { Rate } from "../../abi/process/money.ts";
import type { Provider } from "../../abi/stream.ts";

export interface Model {
  readonly provider: Provider;
  /** The provider's name for it. */
  readonly model: string;
  /** The name shown to people and kept in history. */
  readonly name: string;
  /** Why it cannot be asked yet; null if it can. */
  readonly missing: string | null;
  readonly rate: Rate;
  /** Tells keys apart without revealing them. */
  readonly keyMark: string | null;
  /** Token limits of a request and of an answer; null if no server limits them. */
  readonly window: { readonly windowTokens: number; readonly outputTokens: number } | null;
}
