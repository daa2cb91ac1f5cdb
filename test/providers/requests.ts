// Requests as a process would make them, for tests of providers: messages numbered without gaps, runs named by number.

import type { Message, ToolCall, ToolOutcome } from "../../src/abi/process/message.ts";
import type { ModelRequest, Provider, StreamEvent, ToolSpec } from "../../src/abi/stream.ts";
import { type Folded, Folder } from "../../src/providers/fold.ts";

type Said =
  | { readonly user: string }
  | { readonly event: string }
  | { readonly assistant: string; readonly calls?: readonly ToolCall[] }
  | { readonly result: string; readonly of: string; readonly tool: string; readonly outcome?: ToolOutcome };

export function messagesOf(said: readonly Said[]): Message[] {
  return said.map((one, index) => {
    const base = { id: index + 1, runId: "run", timestamp: 0 };
    if ("user" in one) return { ...base, role: "user", content: one.user };
    if ("event" in one) return { ...base, role: "system", content: one.event };
    if ("assistant" in one) {
      return { ...base, role: "assistant", content: { text: one.assistant, toolCalls: one.calls ?? [] } };
    }
    const outcome = one.outcome ?? "completed";
    const result = { toolName: one.tool, toolCallId: one.of, isError: outcome !== "completed", outcome };
    return { ...base, role: "toolResult", content: { ...result, output: one.result } };
  });
}

export const TOOLS: readonly ToolSpec[] = ["Read", "Write", "Edit", "Delete", "Search", "Shell"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object" },
}));

export function requestOf(said: readonly Said[], model = "offline"): ModelRequest {
  const about = { pid: "init:1000", home: "/home/sam", cwd: "/home/sam" };
  return { model, system: "", messages: messagesOf(said), tools: TOOLS, about };
}

export async function eventsOf(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<StreamEvent[]> {
  return await Array.fromAsync(provider.stream(request, signal));
}

/** Reads to the very end, to find a provider that continues after its last event. */
export async function ask(provider: Provider, request: ModelRequest, signal?: AbortSignal): Promise<Folded> {
  const folder = new Folder();
  for (const event of await eventsOf(provider, request, signal)) folder.push(event);
  return folder.end();
}

export function callsOf(folded: Folded): { name: string; args: object }[] {
  return folded.kind === "turn" ? folded.calls.map(({ name, args }) => ({ name, args })) : [];
}

/** To one question of a user without files: no look-up finds anything. */
export async function answerOf(provider: Provider, question: string): Promise<string> {
  const first = await ask(provider, requestOf([{ user: question }]));
  const calls = first.kind === "turn" ? first.calls : [];
  if (calls.length === 0) return first.text;
  const results = calls.map(({ id, name }) => ({ result: "(no matches)", of: id, tool: name }));
  return (await ask(provider, requestOf([{ user: question }, { assistant: "", calls }, ...results]))).text;
}
