// `gsv mcp serve` as programs start it: over pipes, driven by the SDK's client in both protocols, and its three ways to end.

import { expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { TokenInfo } from "../../../src/syscalls/account/account-service.ts";
import { type TestHome, withHome } from "../../support/home.ts";
import { ERAS, type Era } from "../../support/mcp/gsv-client.ts";
import { gsvCommand } from "../../support/program.ts";

const INITIALIZE = {
  ...{ jsonrpc: "2.0", id: "first", method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

async function delegated(home: TestHome, era: Era): Promise<string> {
  const [command = "", ...args] = [...gsvCommand(), "mcp", "serve"];
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...home.env },
    cwd: home.beside("."),
    stderr: "pipe",
  });
  const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  const call = async (name: string, given: object) => {
    const { content } = await client.callTool({ name, arguments: { ...given } });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  };
  const started = await call("spawn_process", { label: era, message: "Where are you?", workspace: "here" });
  const [, pid, run] = /started (task:\w+), run (\S+);/.exec(started) ?? [];
  const answer = await call("wait", { pid, run });
  await client.close();
  return answer.replace(pid ?? "?", "PID");
}

const tokens = async (home: TestHome) =>
  (await home.sys().call<{ tokens: TokenInfo[] }>("sys.token.list", {})).tokens.map(({ state }) => state);

test("both protocols delegate a task in the directory of the client, and the token ends with the server", async () => {
  await withHome(async (home) => {
    const model = await home.file("model.jsonl", [{ text: "In your directory." }, { text: "In your directory." }]);
    const env = { GSV_MODEL: `script:${model}` };
    Object.assign(home.env, env);
    for (const era of ERAS) expect(await delegated(home, era)).toBe("PID: ok\n\nIn your directory.");
    const { workspaces } = await home.sys().call<{ workspaces: { directory: string }[] }>("workspace.list", {});
    expect(workspaces.length).toBe(1);
    const states = await tokens(home);
    expect([[...new Set(states)], states.length <= 2]).toEqual([["revoked"], true]);
  });
});

test("SIGINT, SIGTERM and the end of input end it alike, and the last requests are answered before", async () => {
  await withHome(async (home) => {
    const stdin = `${JSON.stringify(INITIALIZE)}\n`;
    const alone = await home.gsv(["mcp", "serve"], { env: { GSV_KERNEL: "in-process" }, stdin });
    expect([alone.status, JSON.parse(alone.stdout)]).toEqual([0, expect.objectContaining({ id: "first" })]);
    for (const how of ["SIGINT", "SIGTERM", "end of input"] as const) {
      const child = Bun.spawn([...gsvCommand(), "mcp", "serve"], { env: home.env, stdio: ["pipe", "pipe", "pipe"] });
      child.stdin.write(stdin);
      await child.stdin.flush();
      if (how === "end of input") child.stdin.end();
      const reader = child.stdout.getReader();
      const { value } = await reader.read();
      expect(JSON.parse(Buffer.from(value ?? []).toString())).toMatchObject({ id: "first", result: {} });
      if (how !== "end of input") child.kill(how);
      expect([how, await child.exited, (await reader.read()).done]).toEqual([how, 0, true]);
      expect(await child.stderr.text()).not.toMatch(/error|gsv: (?!created)/i);
    }
    const states = await tokens(home);
    expect([[...new Set(states)], states.length <= 2]).toEqual([["revoked"], true]);
  });
});
