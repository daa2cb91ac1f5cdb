// `gsv explain exit 5`, or `gsv explain 5`: the section of that status on the manual page exit-status.

import { SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { clip, usageError } from "../args.ts";
import { command } from "../define.ts";
import { showPage } from "./man.ts";
import { topicPage } from "./man-book.ts";

const PAGE = "exit-status";

const spec = {
  name: "explain",
  summary: "Explain an exit status",
  usage: "gsv explain [exit] [STATUS] [--json]",
  input: {
    about: field.optional(
      field.text("what to explain (may be left out)", { positional: true, meta: "ABOUT", choices: ["exit"] }),
    ),
    status: field.optional(field.int("the exit status (default: all)", { positional: true, meta: "STATUS", max: 255 })),
  },
  examples: ["gsv explain exit 5", "gsv explain 75", "gsv explain exit"],
} as const;

export const explain = command(spec, async ({ args, json }, io) => {
  const status = statusOf(args);
  const manual = await io.manual();
  const titles = manual.flatMap(({ page, heading }) => (page === PAGE ? [heading] : []));
  const title = status === undefined ? titles[0] : titles.find((each) => each.startsWith(`Exit status ${status}:`));
  if (title === undefined) {
    const known = titles.flatMap((each) => /^Exit status (\d+):/.exec(each)?.[1] ?? []);
    const hint = (status ?? 0) > 128 ? [`in a shell, ${status} means killed by signal ${(status ?? 0) - 128}`] : [];
    throw usageError(spec, `gsv never exits with ${status}`, [...hint, `it exits with ${known.join(", ")}`]);
  }
  const found = topicPage(manual, title);
  if (found === null) throw new SysError("ENOENT", `the manual has no section ${title}`);
  return await showPage(io, found, json);
});

function statusOf({
  about = "exit",
  status,
}: {
  readonly about?: string;
  readonly status?: number;
}): number | undefined {
  if (about === "exit") return status;
  if (status === undefined && /^[0-9]{1,3}$/.test(about)) return Number(about);
  throw usageError(spec, `cannot explain ${clip(about)}: only exit statuses`, ["gsv man -k WORD… searches the manual"]);
}
