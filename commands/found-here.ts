// What a project directory holds that tells agents what to do or runs by itself, in few words, for the person who decides about it.

import type { Io } from "./command.ts";

const PACKAGE_BYTES_MAX = 1024 * 1024;
export const MCP_FILE = "MCP servers";

/** Each path with what it is; the first column is looked for. */
const NAMED: readonly (readonly [path: string, text: string])[] = [
  ["AGENTS.md", "AGENTS.md"],
  ["CLAUDE.md", "CLAUDE.md"],
  ["GEMINI.md", "GEMINI.md"],
  [".gsv/context.d", ".gsv/context.d"],
  [".gsv/policy.json", "a gsv policy"],
  [".mcp.json", MCP_FILE],
  [".claude/settings.json", "Claude settings"],
  [".vscode/tasks.json", "VS Code tasks"],
  [".envrc", ".envrc"],
  [".husky", "husky hooks"],
];

export async function foundIn(io: Pick<Io, "host">, directory: string): Promise<readonly string[]> {
  const host = await io.host();
  const isThere = async (path: string) =>
    (await host.look(`${directory}/${path}`, { follow: true }).catch(() => null)) !== null;
  const named = await Promise.all(NAMED.map(async ([path, text]) => ((await isThere(path)) ? [text] : [])));
  const hooks = (await host.names(`${directory}/.git/hooks`).catch(() => [])).filter(
    (name) => !name.endsWith(".sample"),
  );
  const scripts = await scriptsIn(host, `${directory}/package.json`);
  return [
    ...named.flat(),
    ...(hooks.length > 0 ? ["git hooks"] : []),
    ...(scripts > 0 ? [`${scripts} package ${scripts === 1 ? "script" : "scripts"}`] : []),
  ];
}

async function scriptsIn(host: Awaited<ReturnType<Io["host"]>>, path: string): Promise<number> {
  try {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of host.read(path)) {
      pieces.push(piece);
      bytes += piece.byteLength;
      if (bytes > PACKAGE_BYTES_MAX) return 0;
    }
    const { scripts } = JSON.parse(Buffer.concat(pieces).toString()) as { readonly scripts?: unknown };
    return typeof scripts === "object" && scripts !== null ? Object.keys(scripts).length : 0;
  } catch {
    return 0;
  }
}
