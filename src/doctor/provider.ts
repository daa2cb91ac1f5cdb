// Who answers: what GSV_MODEL chooses exists, and so does what it needs.

import { accessSync, constants } from "node:fs";
import { SysError } from "../abi/errno.ts";
import { type Check, faultLine, ok, problem } from "./check.ts";

export const provider: Check = {
  name: "provider",
  needsHome: false,
  look(patient) {
    try {
      const choice = patient.provider();
      if (choice.provider === "offline")
        return [ok(`offline: gsv answers from its manual${patient.env.GSV_MODEL ? "" : " (GSV_MODEL is not set)"}`)];
      if (choice.provider === "script" && !isReadable(choice.model))
        return [
          problem(`GSV_MODEL names the script ${choice.model}, which cannot be read`, {
            fix: "export GSV_MODEL=script:/path/to/file, or unset GSV_MODEL",
          }),
        ];
      return [ok(`${choice.provider}:${choice.model}`)];
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
