// What clients offered to their runs, as long as these last.

import { ROOT_UID } from "../abi/identity.ts";
import type { Bus } from "../kernel/bus.ts";
import { Offers } from "../process/life/offers.ts";

/** What clients offered to their runs, forgotten with these. */
export function offersUntilTheEnd(bus: Bus): Offers {
  const offers = new Offers();
  bus.listen({
    uid: ROOT_UID,
    clientId: null,
    filter: { names: ["chat.complete", "process.exit"] },
    hear(signal) {
      if (signal.name === "chat.complete") offers.ended(signal.run);
      else offers.gone(signal.pid);
    },
  });
  return offers;
}
