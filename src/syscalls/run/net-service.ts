// The service behind net.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { WebPage } from "../../tools/web.ts";
import type { FileTarget } from "../fs/files-service.ts";

export interface FetchRequest {
  readonly url: string;
  readonly raw: boolean;
  readonly target: FileTarget;
}

/** HTML is converted to Markdown. */
export interface FetchedPage extends WebPage {
  /** Encloses the text of the page for a model. */
  readonly mark: string;
}

export interface Web {
  page(caller: Caller, request: FetchRequest, signal: AbortSignal): Promise<FetchedPage>;
  /** Checks the address alone, without DNS. Throws if it would be refused. */
  needFetchable(caller: Caller, request: Pick<FetchRequest, "url" | "target">): Promise<void>;
}
