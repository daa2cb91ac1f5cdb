// The time zone of a time without one: server.timezone, else that of the caller, else that of this computer.

import { settingsFor } from "../kernel/settings/config.ts";
import type { ConfigRows } from "../store/kernel/config.ts";
import type { CallContext } from "../syscalls/define.ts";

export type DefaultZone = (
  context: Pick<CallContext, "caller"> & Partial<Pick<CallContext, "client">>,
) => Promise<string>;

export function timezoneOf(config: ConfigRows): DefaultZone {
  return async ({ caller, client }) => {
    const setting = await settingsFor(config, { uid: caller.ownerUid, client });
    for (const name of ["server.timezone", "userTimezone"] as const) {
      const { layer, text } = setting(name);
      if (layer !== "default") return text;
    }
    return Intl.DateTimeFormat().resolvedOptions().timeZone;
  };
}
