// What is downloaded and what is sent: the binary, and the first request of an agent that was told nothing yet.

import { type ToolCallPorts, ToolCalls } from "../../src/process/toolcalls.ts";
import { systemPrompt } from "../../src/prompts/system.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { BINARY } from "./machine.ts";
import type { Row } from "./measure.ts";

// Higher levels gain a few per cent more and take a minute.
const ZSTD_LEVEL = 12;

export async function sizeRows(): Promise<Row[]> {
  const bytes = await Bun.file(BINARY).bytes();
  const packed = await Bun.zstdCompress(bytes, { level: ZSTD_LEVEL });
  return [
    {
      name: "install: the binary",
      unit: "MB",
      median: bytes.length / 1e6,
      budget: 135,
      floor: { value: Bun.file(process.execPath).size / 1e6, what: "Bun itself" },
    },
    { name: "first request of an empty agent", unit: "KB", median: firstRequest().length / 1000, budget: 12 },
    { name: `install: compressed (zstd ${ZSTD_LEVEL})`, unit: "MB", median: packed.length / 1e6, budget: 50 },
  ];
}

// What the model is told before anyone has said anything but hello. A wire format adds a few field names to this.
function firstRequest(): string {
  const place = { username: "friday", owner: "sam", home: "/home/sam", cwd: "/home/sam", pid: "init:1000" };
  const tools = new ToolCalls({ table: SYSCALLS } as ToolCallPorts).specs();
  const system = systemPrompt({ ...place, profile: "init", now: 0 });
  return JSON.stringify({ system, tools, messages: [{ role: "user", content: "hello" }] });
}
