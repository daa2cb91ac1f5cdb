// codemode.*: a block of JavaScript in place of many tool calls.

import { type CallContext, field, syscall } from "../define.ts";
import codeText from "../tools/codemode.md" with { type: "text" };

export interface CodeResult {
  readonly result: unknown;
  readonly logs: readonly string[];
}

export interface CodeMode {
  exec(
    context: CallContext,
    request: { readonly code: string; readonly args?: { readonly [key: string]: unknown } },
  ): Promise<CodeResult>;
}

function resultText({ result, logs }: CodeResult): string {
  const said = typeof result === "string" ? result : JSON.stringify(result, null, 1);
  return [...logs, ...(result === null && logs.length > 0 ? [] : [said])].join("\n");
}

export const codemodeCalls = [
  syscall({
    name: "codemode.exec",
    summary: "Run a block of JavaScript that calls tools",
    class: "keyed",
    once: "verb",
    input: {
      code: field.text("body of an async function", { longest: 128 * 1024 }),
      args: field.optional(field.object("value of args in the code")),
    },
    tool: { name: "CodeMode", repeat: "resume", description: codeText, text: resultText },
    run: ({ code: blocks }: { code: CodeMode }, args, context) => blocks.exec(context, args),
  }),
] as const;
