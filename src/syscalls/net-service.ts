// The service behind net.*, as types.

import type { Caller } from "../abi/identity.ts";
import type { FileTarget } from "./files-service.ts";

export interface FetchRequest {
  readonly url: string;
  readonly raw: boolean;
  readonly target: FileTarget;
}

export interface FetchedPage {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly title: string | null;
  /** Markdown of HTML, else as it came; empty of what is no text. */
  readonly text: string;
  /** Of the page as it came. */
  readonly bytes: number;
  /** There was more of it. */
  readonly cut: boolean;
  /** Another site, where nobody went. */
  readonly movedTo: string | null;
  /** Stands around its text where a model reads it. */
  readonly mark: string;
}

export interface Web {
  page(caller: Caller, request: FetchRequest, signal: AbortSignal): Promise<FetchedPage>;
  /** Refuses what would not be fetched, as far as the address itself tells: nothing is looked up. */
  needFetchable(caller: Caller, request: Pick<FetchRequest, "url" | "target">): Promise<void>;
}
