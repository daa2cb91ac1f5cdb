// Who answers, as far as the environment says: what it chooses exists, and so does what that needs. Whether a model answers is found out
// by asking it (`gsv doctor --provider`).

import { accessSync, constants } from "node:fs";
import { SysError } from "../../abi/errno.ts";
import { type Check, faultLine, ok, problem } from "../check.ts";

export const provider: Check = {
  name: "provider",
  needsHome: false,
  look(patient) {
    try {
      const choice = patient.provider();
      if (choice.provider === "offline")
        return [
          ok(`offline: gsv answers from its manual${patient.env.GSV_MODEL ? "" : " (the environment names nobody)"}`),
        ];
      if (choice.provider === "script" && !isReadable(choice.model))
        return [
          problem(`GSV_MODEL names the script ${choice.model}, which cannot be read`, {
            fix: "export GSV_MODEL=script:/path/to/file, or unset GSV_MODEL",
          }),
        ];
      return [ok(`${choice.name}; gsv doctor --provider asks it`)];
    } catch (error) {
      const fix = error instanceof SysError ? error.hints.join("; ") : "unset GSV_MODEL";
      return [problem(faultLine(error), { fix })];
    }
  },
};

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
