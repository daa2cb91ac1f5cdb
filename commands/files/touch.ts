// `gsv touch`: creates an empty file or updates the time of an existing one.

import { SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { isMissing } from "./entries.ts";
import { Problems } from "./problems.ts";

const input = {
  paths: field.paths("the files", { positional: true, meta: "PATH...", of: "file" }),
  noCreate: field.flag("create no files", { letter: "c" }),
  date: field.optional(
    field.text("time to set (default now), such as 2026-01-02T03:04", { letter: "d", meta: "TIME" }),
  ),
};

export const touch: Command = command(
  { name: "touch", summary: "Create empty files or update file times", input, examples: ["gsv touch '~/x'"] },
  async ({ args, json }, io) => {
    const mtimeMs = args.date === undefined ? io.clock.now() : Date.parse(args.date);
    if (!(mtimeMs >= 0))
      throw new SysError("EUSAGE", `invalid time: ${args.date}`, ["for example 2026-01-02T03:04:05Z"]);
    const problems = new Problems(io, "touch", json);
    const sys = io.sys();
    for (const path of args.paths) {
      await problems.attempt(path, async () => {
        try {
          await sys.call("fs.setattr", { path, mtimeMs });
        } catch (error) {
          if (!isMissing(error)) throw error;
          if (args.noCreate === true) return;
          await sys.call("fs.put", { path, data: "", exclusive: true });
          if (args.date !== undefined) await sys.call("fs.setattr", { path, mtimeMs });
        }
      });
    }
    return problems.status;
  },
);
