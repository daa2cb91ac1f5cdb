// `gsv workspace trust ID`: shows the instruction files of a workspace and asks whether agents may read them. `gsv workspace attach` asks the
// same on a terminal. Without a terminal, only --yes trusts.

import { LIMITS } from "../../src/abi/config/limits.ts";
import type { WorkspaceInfo } from "../../src/abi/process/workspace.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Speaking } from "../../src/syscalls/repo/workspace.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { agrees, canAsk, noTerminal } from "../io/consent.ts";
import { jsonLine } from "../io/status.ts";
import { printText } from "../print.ts";

const QUESTION = "Trust these files, including later changes?";
const LINES_SHOWN = 40;

export const trust = command(
  {
    name: "workspace trust",
    summary: "Trust the instruction files of a workspace",
    input: {
      id: field.text("the workspace, or a directory on this computer", {
        positional: true,
        longest: LIMITS.pathBytesMax,
        meta: "ID|DIR",
        of: "workspace",
      }),
      undo: field.flag("withdraw it"),
      yes: field.flag("skip the question"),
    },
    examples: [
      "gsv workspace trust dir_8fk2mz",
      "gsv workspace trust ./project",
      "gsv workspace trust dir_8fk2mz --undo",
    ],
  },
  async ({ args: { id, undo = false, yes = false }, json }, io) => {
    if (!undo && !yes) {
      const speaking = await io.sys().call<Speaking>("workspace.speaks", { id });
      await show(io, speaking);
      if (!canAsk(io, json))
        throw noTerminal("trusted", `read the files above, then: gsv workspace trust ${quoted(id)} --yes`);
      if (!(await agrees(io, QUESTION))) return 1;
    }
    const decided = await io.sys().call<Speaking>("workspace.trust", { id, undo });
    await printText(io.stdout, json ? jsonLine(decided) : decidedText(decided));
    return 0;
  },
);

/** Attaches, then asks about the instruction files. */
export async function attach(): Promise<Command> {
  return (await import("../derive.ts")).derived("workspace.attach", "workspace attach", (io, { id }: WorkspaceInfo) =>
    offer(io, id),
  );
}

/** `proc.spawn`; then asks about the instruction files of a directory on this computer. */
export async function spawnAs(name: string): Promise<Command> {
  return (await import("../derive.ts")).derived("proc.spawn", name, async (io, { workspaceId }: Spawned) => {
    if (workspaceId?.startsWith("dir_")) await offer(io, workspaceId);
  });
}

/** Asks about instruction files, and lists MCP servers as pending. Does nothing without a terminal. */
export async function offer(io: Io, id: string): Promise<void> {
  if (!io.stdin.isTTY || !io.stderr.isTTY || io.asksNobody) return;
  const speaking = await io.sys().call<Speaking>("workspace.speaks", { id });
  if (speaking.directory !== null) {
    const { holdServers } = await import("../links/mcp-import/import.ts");
    const held = await holdServers(io, speaking.directory);
    if (held !== null) await printText(io.stderr, held);
  }
  if (speaking.trusted || speaking.files.length === 0) return;
  await show(io, speaking);
  if (await agrees(io, QUESTION)) await io.sys().call("workspace.trust", { id });
  else await printText(io.stderr, `Not trusted. To trust it later: gsv workspace trust ${quoted(id)}`);
}

async function show(io: Io, { id, directory, files }: Speaking): Promise<void> {
  await printText(io.stderr, `Instruction files for agents in ${directory ?? id}:`);
  for (const { path, text } of files) {
    const lines = text.trimEnd().split("\n");
    await printText(io.stderr, `\n== ${path} (${lines.length} ${lines.length === 1 ? "line" : "lines"})`);
    for (const line of lines.slice(0, LINES_SHOWN)) await printText(io.stderr, `  ${reveal(line)}`);
    if (lines.length > LINES_SHOWN)
      await printText(io.stderr, `  ... ${lines.length - LINES_SHOWN} more: gsv cat ${path}`);
  }
  if (files.length === 0) await printText(io.stderr, "  nothing yet");
}

function decidedText({ id, trusted, files }: Speaking): string {
  const names = files.map(({ path }) => path).join(", ") || "no instruction files yet";
  return `${id} is ${trusted ? "trusted" : "not trusted"}: ${names}`;
}
