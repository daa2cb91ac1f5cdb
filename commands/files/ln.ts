// `gsv ln -s`: creates symbolic links. There are no hard links.

import { base, join } from "../../fs/path.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { statOrNull } from "./entries.ts";
import { Problems } from "./problems.ts";

const input = {
  target: field.text("target, relative to the link", { positional: true, meta: "TARGET" }),
  path: field.path("the new link, or a directory for it", { positional: true, meta: "LINK", of: "file" }),
  symbolic: field.flag("symbolic link (required)", { letter: "s" }),
  force: field.flag("replace an existing file or link", { letter: "f" }),
};

export const ln: Command = command(
  {
    name: "ln",
    summary: "Create a symbolic link",
    input,
    examples: ["gsv ln -s notes.md '~/today.md'"],
  },
  async ({ args, json }, io) => {
    const { target, path } = args;
    if (args.symbolic !== true)
      throw new SysError("EPERM", "ln: gsv has no hard links", [`gsv ln -s ${quoted(target)} ${quoted(path)}`]);
    const problems = new Problems(io, "ln", json);
    await problems.attempt(path, async () => {
      const sys = io.sys();
      const there = await statOrNull(sys, path, { link: false });
      const link = there?.kind === "directory" ? join(path, base(target)) : path;
      const old = args.force === true ? await statOrNull(sys, link, { link: true }) : null;
      if (old !== null && old.kind !== "directory") await sys.call("fs.remove", { path: link });
      await sys.call("fs.link", { path: link, target: await written(sys, target) });
    });
    return problems.status;
  },
);

// A link stores its target as text, where ~ means nothing: replace it with your home.
async function written(sys: Sys, target: string): Promise<string> {
  if (target !== "~" && !target.startsWith("~/")) return target;
  const { home } = await sys.call<{ home: string }>("system.whoami", {});
  return home + target.slice(1);
}
