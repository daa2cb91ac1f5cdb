// An MCP server of one tool for tests of crashes: `bun noting.ts DIRECTORY`. A call writes its text as a line before it is answered. Each server
// leaves its pid and that of a child, which is in a group of its own and outlives it. Starts without the SDK: fast.

import { appendFileSync } from "node:fs";
import { join } from "node:path";

type Message = { readonly id?: number | string; readonly method?: string; readonly params?: Params };
type Params = { readonly arguments?: { readonly text?: string } };

const [directory = "."] = process.argv.slice(2);
const child = Bun.spawn(["/bin/sleep", "600"], { detached: true, stdio: ["ignore", "ignore", "ignore"] });
child.unref();
appendFileSync(join(directory, "servers"), `${process.pid}\n`);
appendFileSync(join(directory, "children"), `${child.pid}\n`);

const TOOL = {
  name: "note",
  description: "Note a text",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const ABOUT = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "noting", version: "1" },
};

let rest = "";
const decoder = new TextDecoder();
for await (const chunk of Bun.stdin.stream()) {
  const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void answer(JSON.parse(line) as Message);
}

async function answer({ id, method, params }: Message): Promise<void> {
  if (id === undefined) return;
  if (method === "initialize") say({ id, result: ABOUT });
  else if (method === "tools/list") say({ id, result: { tools: [TOOL] } });
  else if (method === "tools/call") {
    const { text = "" } = params?.arguments ?? {};
    appendFileSync(join(directory, "notes"), `${text}\n`);
    await Bun.sleep(text.length % 4);
    say({ id, result: { content: [{ type: "text", text: `noted ${text}` }] } });
  } else say({ id, error: { code: -32601, message: "unknown method" } });
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
