// The sandbox that commands on the host are to run in: bubblewrap, there and allowed to do its work. None is no fault, only worth knowing.

import { BUBBLE_TRIAL } from "../../lib/bubblewrap.ts";
import { type Check, faultLine, notice, ok } from "../check.ts";

export const sandbox: Check = {
  name: "sandbox",
  needsHome: false,
  async look({ find, run }) {
    const path = find("bwrap");
    if (path === null)
      return [
        notice("there is no bwrap: nothing can run in a sandbox here", { fix: "on Linux: apt install bubblewrap" }),
      ];
    try {
      const { status, says } = await run([path, ...BUBBLE_TRIAL]);
      if (status === 0) return [ok(`${path} works`)];
      return [notice(`${path} does not work here: ${says || `exit status ${status}`}`, { fix: ALLOW })];
    } catch (error) {
      return [notice(`${path} does not run: ${faultLine(error)}`, { fix: ALLOW })];
    }
  },
};

const ALLOW = "allow unprivileged user namespaces, as in: sudo sysctl kernel.unprivileged_userns_clone=1";
