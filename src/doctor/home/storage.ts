// Whether the bytes of this home can be reached where its settings say they lie: the server answers, the bucket is there, the keys fit. For
// bytes on disk there is nothing to ask.

import { existsSync } from "node:fs";
import { SysError } from "../../abi/errno.ts";
import { type Check, faultLine, ok, problem } from "../check.ts";

export const storage: Check = {
  name: "storage",
  needsHome: true,
  async look({ paths, bytes }) {
    if (!existsSync(paths.kernelDb)) return [];
    // What keeps kernel.db from being read is told by the check of the databases.
    const where = await bytes.where().catch(() => null);
    if (where === null || where.driver === "disk") return [];
    try {
      await bytes.probe();
      return [ok(`the bucket answers: ${where.place}`)];
    } catch (error) {
      const fix = error instanceof SysError ? error.hints.join("; ") : "";
      return [problem(faultLine(error), fix === "" ? {} : { fix })];
    }
  },
};
