// sys.mcp.*: tools of servers that are open for a process. Only its agent calls them, with a person's approval or by a rule.

import { type CallContext, field, syscall } from "../define.ts";

export interface ServerTools {
  call(
    context: Pick<CallContext, "caller" | "signal">,
    request: { readonly tool: string; readonly args: { readonly [name: string]: unknown } },
  ): Promise<string>;
}

interface Answered {
  readonly text: string;
}

export const serverToolCalls = [
  syscall({
    name: "sys.mcp.call",
    summary: "Call a tool of the process's server",
    class: "keyed",
    by: "approved",
    input: {
      tool: field.text("name of the tool", { positional: true, meta: "TOOL", longest: 64 }),
      args: field.object("arguments"),
    },
    cli: { hidden: true, examples: [], print: { kind: "value", text: ({ text }: Answered) => text } },
    run: async ({ serverTools }: { serverTools: ServerTools }, args, context) => ({
      text: await serverTools.call(context, args),
    }),
  }),
] as const;
