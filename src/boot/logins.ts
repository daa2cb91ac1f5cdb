// Entry of clients with credentials.

import { type Arrival, type Credentials, limitedTo } from "../abi/identity.ts";
import type { ClientInfo, Sys } from "../abi/sys.ts";
import { Entries, type EntryPorts } from "../kernel/logins/entries.ts";
import { type LoginPorts, Logins } from "../kernel/logins/login.ts";
import type { Core } from "./core.ts";

export function bootLogins(ports: LoginPorts & Omit<EntryPorts, "logins">): Pick<Core, "logins" | "entries"> {
  const logins = new Logins(ports);
  return { logins, entries: new Entries({ ...ports, logins }) };
}

/** A session without its account or token gets no more signals; its next call fails. */
export async function accepted(
  { sysFor, logins }: Core,
  client: ClientInfo,
  { credentials, arrival }: { readonly credentials: Credentials; readonly arrival: Arrival | null },
): Promise<Sys> {
  const session = await logins.open(credentials, arrival);
  const { login } = session;
  const allow = arrival?.allow;
  const caller = async () => (allow === undefined ? await session.caller() : limitedTo(await session.caller(), allow));
  const sys = sysFor(session.uid, caller, { ...client, ...(login !== null && { loginId: login }) });
  const disconnect = arrival === null ? () => {} : logins.connect(session, arrival);
  return {
    call: sys.call,
    async close() {
      disconnect();
      await sys.close();
    },
    on: (filter, listener) =>
      session.hears ? sys.on(filter, (signal) => session.end() === null && listener(signal)) : () => {},
  };
}
