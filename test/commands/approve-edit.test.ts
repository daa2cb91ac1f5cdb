// `gsv approve --edit` on a real terminal: an editor that owns the terminal, and a process that continues with the edited call.

import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import type { Message } from "../../src/abi/process/message.ts";
import { jsonLines, TestHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { Session } from "../support/session.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { WireServer } from "../support/wire-server.ts";

const { body, type } = WIRES["openai chat completions"]!;

/** Shows its file and replaces it with the typed line; an empty line leaves it unchanged. */
const EDITOR = `#!/bin/sh
printf 'editing %s\\r\\n' "$(cat "$1")"
IFS= read -r line
[ -z "$line" ] || printf '%s\\n' "$line" > "$1"
`;

async function edits(home: TestHome, id: string, typed: string): Promise<{ status: number; seen: string }> {
  const path = await home.file("editor", [EDITOR]);
  chmodSync(path, 0o700);
  const argv = [...gsvCommand(), "approve", id, "--edit"];
  await using session = new Session({ argv, env: { ...home.env, EDITOR: path } });
  await session.until(/editing /);
  session.type(typed);
  const status = await session.exited();
  // The last output of a program may arrive after its exit.
  await session.until((text) => text.includes(id));
  return { status, seen: session.text() };
}

test("the edited text runs instead of the request, and the agent gets a note", async () => {
  const call = (command: string) => ({ calls: [{ name: "Shell", json: [JSON.stringify({ command })] }] });
  using server = new WireServer(() => ({ type, body: body({ text: ["done"] }) }));
  const home = new TestHome();
  const env = { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${server.url}/v1` };
  try {
    const ask = async () => {
      server.will({ type, body: body(call("rm ~/notes")) });
      const asked = await home.gsv(["chat", "--model", "openai/m", "tidy up"], { env });
      expect(asked.status).toBe(5);
      return /gsv approve (\w{4})/.exec(asked.stderr)?.[1] ?? "";
    };
    const id = await ask();
    const { status, seen } = await edits(home, id, "echo kept them\r");
    expect(seen).toContain("editing rm ~/notes");
    expect(status).toBe(0);
    expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
    const messages = jsonLines<Message>((await home.gsv(["history", "--json"])).stdout);
    const results = messages.flatMap((message) => (message.role === "toolResult" ? [message.content.output] : []));
    expect(results).toHaveLength(1);
    expect(results[0]).toContain("echo kept them");
    expect(results[0]).toContain("kept them\n(exit status 0)");
    expect(server.requests.at(-1)?.body).toContain("kept them");
    // An unchanged text allows nothing: an approval is a separate command.
    const other = await ask();
    const left = await edits(home, other, "\r");
    expect(left.status).toBe(1);
    expect(left.seen).toContain("nothing changed; the request is still open");
    expect(left.seen).toContain(`gsv approve ${other}`);
    expect((await home.gsv(["approvals", other])).status).toBe(0);
    expect((await home.gsv(["approve", other])).status).toBe(0);
    expect((await home.gsv(["wait", "init:1000"])).status).toBe(0);
    const last = jsonLines<Message>((await home.gsv(["history", "--json"])).stdout).at(-2);
    expect(JSON.stringify(last?.content)).toMatch(/"output":"rm: cannot remove/);
  } finally {
    await home.dispose();
  }
}, 30_000);
