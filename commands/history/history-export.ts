// `gsv history export`: a conversation as Markdown or JSON, on stdout or in a file of this computer. Overwrites only with --force.

import type { Message } from "../../src/abi/process/message.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { field } from "../../src/syscalls/define.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import { command } from "../define.ts";
import { fenced } from "../io/fenced.ts";
import { writeNew } from "../io/host-files.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";
import { messagesOf } from "./messages.ts";

const FORMATS = ["md", "json"] as const;
type Format = (typeof FORMATS)[number];

export const exportHistory = command(
  {
    name: "history export",
    summary: "Export a conversation as a document",
    input: {
      file: field.optional(
        field.text("file on this computer (default stdout)", {
          positional: true,
          longest: 4096,
          meta: "FILE",
          of: "host-or-file",
        }),
      ),
      pid: field.optional(field.pid("the process (default: your init)", { meta: "PID" })),
      format: field.optional(field.choice("format (default: by file name, else md)", FORMATS)),
      force: field.flag("overwrite an existing file"),
    },
    examples: [
      "gsv history export --pid task:abc123 > talk.md",
      "gsv history export talk.md",
      "gsv history export talk.json --pid task:abc123",
    ],
    notes: [
      "Includes tool calls and results. Messages archived by a reset are not included: gsv proc history shows where they are.",
    ],
  },
  async ({ args, json }, io) => {
    const format: Format = json ? "json" : (args.format ?? (args.file?.endsWith(".json") ? "json" : "md"));
    const sys = io.sys();
    const { pid } = await sys.call<HistoryPage>("proc.history", { ...(args.pid && { pid: args.pid }), limit: 1 });
    const info = await sys.call<ProcessInfo>("proc.get", { pid });
    const messages = await Array.fromAsync(messagesOf(sys, pid));
    const text =
      format === "json"
        ? jsonLine({ pid: info.pid, label: info.label, owner: info.owner, messages })
        : markdownOf(info, messages);
    if (args.file === undefined) {
      await printText(io.stdout, text);
      return 0;
    }
    await writeNew(io, args.file, text, args.force === true);
    await note(io, `wrote ${messages.length} messages of ${pid} to ${args.file}`);
    return 0;
  },
);

function markdownOf({ pid, label, owner }: ProcessInfo, messages: readonly Message[]): string {
  const title = `# ${label ?? `Conversation with ${pid}`}`;
  return [title, `${pid} of ${owner}`, ...messages.flatMap((message) => section(message, owner))].join("\n\n");
}

function section(message: Message, owner: string): readonly string[] {
  const at = new Date(message.timestamp).toISOString();
  switch (message.role) {
    case "user":
      return [`## ${owner}, ${at}`, message.content];
    case "assistant": {
      const { text, toolCalls = [] } = message.content;
      const calls = toolCalls.map(({ name, args }) => `- **${name}** \`${JSON.stringify(args).replaceAll("`", "'")}\``);
      return [`## agent, ${at}`, ...(text === "" ? [] : [text]), ...(calls.length === 0 ? [] : [calls.join("\n")])];
    }
    case "toolResult": {
      const { toolName, isError, outcome, output } = message.content;
      return [`### ${toolName}${isError ? `: ${outcome}` : ""}`, fenced(output)];
    }
    default:
      return [`### gsv, ${at}`, message.content];
  }
}
