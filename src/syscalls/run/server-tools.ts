// sys.mcp.*: tools of servers that are open for a process. Only its agent calls them, with the user's approval or by a rule.

import { type CallContext, field, syscall, value } from "../define.ts";

export interface ServerAnswer {
  readonly text: string;
  /** Structured output, which its text may repeat. */
  readonly structured?: unknown;
  /** Bytes of its parts, for the process that called. */
  readonly media?: readonly { readonly base64: string }[];
  /** No answer came: the tool may have run. */
  readonly lost?: true;
  /** The server asks a person before it goes on. The call is repeated with the answer. */
  readonly asks?: ServerQuestion;
}

export interface ServerQuestion {
  readonly question: string;
  /** Answers to choose from; any text if missing. */
  readonly choices?: readonly string[];
  /** Continues the call, as JSON. */
  readonly held: string;
}

export interface ServerTools {
  /** Tools of the calling client for a process, each as JSON. An empty list withdraws them. */
  offer(
    context: Pick<CallContext, "caller">,
    request: { readonly pid: string; readonly tools?: readonly string[] },
  ): Promise<{ readonly pid: string; readonly tools: number }>;
  /** The result of a call announced by `process.server_call`. */
  answer(
    context: Pick<CallContext, "caller">,
    request: { readonly call: string; readonly text: string; readonly failed?: boolean },
  ): { readonly taken: boolean };
  call(
    context: Pick<CallContext, "caller" | "signal" | "requestId" | "onRepeat">,
    request: { readonly tool: string; readonly args: { readonly [name: string]: unknown } },
  ): Promise<ServerAnswer>;
}

export const serverToolCalls = [
  syscall({
    name: "sys.mcp.call",
    summary: "Call a tool of a server",
    class: "keyed",
    once: "verb",
    by: "approved",
    input: {
      tool: field.text("name of the tool, such as mcp.github.create_issue", {
        positional: true,
        meta: "TOOL",
        longest: 200,
      }),
      args: field.object("arguments"),
    },
    // The model reads it.
    cli: { hidden: true, print: value(({ text }: { text: string }) => text) },
    run: ({ serverTools }: { serverTools: ServerTools }, args, context) => serverTools.call(context, args),
  }),
  syscall({
    name: "sys.mcp.offer",
    summary: "Offer tools of this client to the agent of a process",
    class: "keyed",
    once: "verb",
    by: "person",
    capability: "proc.send",
    input: {
      pid: field.pid("the process"),
      tools: field.optional(field.words("each tool as JSON: name, description, parameters; none withdraws them")),
    },
    run: ({ serverTools }: { serverTools: ServerTools }, args, context) => serverTools.offer(context, args),
  }),
  syscall({
    name: "sys.mcp.answer",
    summary: "Answer a call of a tool that this client offers",
    class: "keyed",
    once: "verb",
    by: "person",
    capability: "proc.send",
    input: {
      call: field.text("the call, as process.server_call names it", { shortest: 1, longest: 64 }),
      text: field.text("text for the agent"),
      failed: field.flag("the call failed"),
    },
    run: async ({ serverTools }: { serverTools: ServerTools }, args, context) => serverTools.answer(context, args),
  }),
] as const;
