// Check: runs that failed and left a core. They trouble nobody now, and somebody may want to know why.

import { type Check, counted, notice, ok } from "../check.ts";

export const crashes: Check = {
  name: "crashes",
  needsHome: true,
  look({ cores }) {
    const instants = cores();
    const [newest] = instants;
    if (newest === undefined) return [ok("no failed run has left a core")];
    const when = new Date(newest).toISOString();
    const runs = counted(instants.length, "failed run");
    return [notice(`${runs} left a core, the last ${when}`, { fix: "gsv debug says why" })];
  },
};
