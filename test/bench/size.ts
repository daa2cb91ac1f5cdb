// What is downloaded and what is sent: the binary, and the first request of an agent that was told nothing yet.

import { skillFrom } from "../../src/abi/skill.ts";
import { type ToolCallPorts, ToolCalls } from "../../src/process/toolcalls.ts";
import { firstContext, SHIPPED_SKILLS } from "../../src/prompts/shipped.ts";
import { systemPrompt } from "../../src/prompts/system.ts";
import { contextText, skillsText } from "../../src/prompts/told.ts";
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
  const files = firstContext({ agent: "friday", owner: "sam" }, true);
  const roots = [{ from: "What your own account friday keeps", files }];
  const skills = SHIPPED_SKILLS.flatMap(({ path, text }) => {
    const skill = skillFrom(path.slice("skills.d/".length, -".md".length), text);
    return "fault" in skill ? [] : [{ ...skill, path: `/home/friday/${path}` }];
  });
  const told = contextText(roots, 32_768) + skillsText(skills, "summary");
  const system = systemPrompt({ ...place, profile: "init", now: 0 }) + told;
  return JSON.stringify({ system, tools, messages: [{ role: "user", content: "hello" }] });
}
