// git, which keeps the versions of what agents and people write.

import { type Check, faultLine, notice, ok } from "../check.ts";

const INSTALL = "install git: apt install git, brew install git";

export const git: Check = {
  name: "git",
  needsHome: false,
  async look({ find, run }) {
    const path = find("git");
    if (path === null)
      return [
        notice("there is no git: context and skills are kept without versions, knowledge is read-only", {
          fix: INSTALL,
        }),
      ];
    try {
      const { status, says } = await run([path, "--version"]);
      if (status === 0) return [ok(`${says} (${path})`)];
      return [notice(`${path} does not run: ${says || `exit status ${status}`}`, { fix: INSTALL })];
    } catch (error) {
      return [notice(`${path} does not run: ${faultLine(error)}`, { fix: INSTALL })];
    }
  },
};
