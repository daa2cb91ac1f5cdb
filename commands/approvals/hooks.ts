// `gsv hooks allow HOOK`: shows the whole hook with hidden characters visible, then asks. Allows exactly what was shown, by checksum.
// Without a terminal, only --yes allows.

import { SysError } from "../../src/abi/errno.ts";
import type { HookInfo } from "../../src/abi/hook.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { ShownHook } from "../../src/syscalls/system/hooks.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { agrees, canAsk, noTerminal } from "../io/consent.ts";
import { page } from "../io/pager.ts";
import { printResult, printText } from "../print.ts";

export const allow = command(
  {
    name: "hooks allow",
    summary: "Allow a hook to run, unchanged",
    input: {
      hook: field.text("the hook, as in gsv hooks list", {
        ...{ positional: true, longest: 200, meta: "EVENT/NAME", of: "hook" },
      }),
      yes: field.flag("skip the review and the question"),
    },
    examples: ["gsv hooks allow tool-before/guard", "gsv hooks allow notification/call --yes"],
    notes: [
      "A hook runs as you, without a sandbox, and sees what your agents do. If the file changes, allow it again.",
    ],
  },
  async ({ args: { hook, yes = false }, json }, io) => {
    const shown = await io.sys().call<ShownHook>("hooks.show", { hook });
    const { sha256, why, fix } = shown;
    if (sha256 === null) throw new SysError("EPERM", `${hook} cannot be allowed: ${why}`, [fix ?? ""]);
    if (!yes && !(await isAllowed(io, shown, json))) return 1;
    const allowed = await io.sys().call<HookInfo>("hooks.allow", { hook, sha256 });
    await printResult(io, (await declared("hooks.allow")).cli.print, allowed, json);
    return 0;
  },
);

async function isAllowed(io: Io, shown: ShownHook, json: boolean): Promise<boolean> {
  if (!canAsk(io, json)) {
    await printText(io.stderr, shownText(shown));
    throw noTerminal("allowed", `read it above, then: gsv hooks allow ${shown.hook} --yes`);
  }
  await page(io, shownText(shown));
  return await agrees(io, "Allow this hook?");
}

function shownText({ hook, path, sha256, bytes, text, cut }: ShownHook): string {
  const head = `${hook}, ${bytes} bytes, sha256:${sha256}\n${reveal(path)}`;
  if (text === null) return `${head}\n\n  (binary file)`;
  const lines = text.trimEnd().split("\n");
  const rest = cut ? [`  ... more lines in ${reveal(path)}`] : [];
  return [head, "", ...lines.map((line) => `  ${reveal(line)}`), ...rest].join("\n");
}
