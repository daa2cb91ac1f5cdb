// The service behind net.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { WebPage } from "../../tools/web.ts";
import type { FileTarget } from "../fs/files-service.ts";

export interface FetchRequest {
  readonly url: string;
  readonly raw: boolean;
  readonly target: FileTarget;
}

/** Text is Markdown where the page was HTML. */
export interface FetchedPage extends WebPage {
  /** Stands around its text where a model reads it. */
  readonly mark: string;
}

export interface Web {
  page(caller: Caller, request: FetchRequest, signal: AbortSignal): Promise<FetchedPage>;
  /** Refuses what would not be fetched, as far as the address itself tells: nothing is looked up. */
  needFetchable(caller: Caller, request: Pick<FetchRequest, "url" | "target">): Promise<void>;
}
