// Parses the start of a time range, in the time zone of the caller's client, else of their settings.

import { SysError } from "../abi/errno.ts";
import type { ClientInfo } from "../abi/sys.ts";
import { noSince, SINCE_FORMS, sinceMs } from "../lib/text/since.ts";
import type { ConfigRows } from "../store/kernel/config.ts";
import { settingsFor } from "./settings/config.ts";

interface Asker {
  readonly uid: number;
  readonly client: Pick<ClientInfo, "env" | "flags"> | undefined;
}

export async function zoneOf(config: ConfigRows, { uid, client }: Asker): Promise<string> {
  return (await settingsFor(config, { uid, client }))("userTimezone").text;
}

export async function beginningOf(config: ConfigRows, asker: Asker, text: string, now: number): Promise<number> {
  const at = sinceMs(text, now, await zoneOf(config, asker));
  if (at !== null) return at;
  throw new SysError("EINVAL", noSince(text), [SINCE_FORMS]);
}
