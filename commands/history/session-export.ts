// `gsv session export [KEY]`: a session as Markdown, JSON, or a page of HTML without scripts and external files. Written message by
// message.

import { ENDED_BY } from "../../src/abi/errno.ts";
import type { Message } from "../../src/abi/process/message.ts";
import { MAIN_SESSION_KEY } from "../../src/abi/process/session.ts";
import { field } from "../../src/syscalls/define.ts";
import { sessionKey } from "../../src/syscalls/session/session.ts";
import type { SessionInfo } from "../../src/syscalls/session/session-service.ts";
import { command } from "../define.ts";
import { fenced } from "../io/fenced.ts";
import { jsonLine } from "../io/status.ts";
import { printText } from "../print.ts";
import { messagesOf } from "./messages.ts";

const FORMATS = ["md", "json", "html"] as const;

interface Document {
  readonly head: (session: SessionInfo) => string;
  readonly each: (message: Message, isFirst: boolean) => string;
  readonly foot: string;
}

const exportInput = {
  key: sessionKey,
  format: field.withDefault(field.choice("document format", FORMATS, { letter: "f", meta: "FORM" }), "md"),
};

export const exportSession = command(
  {
    name: "session export",
    summary: "Export a session as a document",
    input: exportInput,
    examples: [
      "gsv session export > conversation.md",
      `gsv session export ${MAIN_SESSION_KEY} --format html > conversation.html`,
      "gsv session export --format json",
    ],
  },
  async ({ args, json }, io) => {
    const sys = io.sys();
    const { head, each, foot } = DOCUMENTS[json ? "json" : args.format];
    const session = await sys.call<SessionInfo>("session.get", { key: args.key });
    await printText(io.stdout, head(session));
    let isFirst = true;
    for await (const message of session.pid === null ? [] : messagesOf(sys, session.pid)) {
      await printText(io.stdout, each(message, isFirst));
      isFirst = false;
      if (io.stdout.closed) return ENDED_BY.PIPE;
    }
    if (foot !== "") await printText(io.stdout, foot);
    return 0;
  },
);

const DOCUMENTS: { readonly [F in (typeof FORMATS)[number]]: Document } = {
  md: { head: (session) => `# ${titleOf(session)}`, each: mdMessage, foot: "" },
  json: {
    head: ({ key, sessionId, pid, createdAt }) =>
      `{"session":${jsonLine({ key, sessionId, pid, createdAt }).trimEnd()},"messages":[`,
    each: (message, isFirst) => `${isFirst ? "" : ","}${jsonLine(message)}`,
    foot: "]}",
  },
  html: { head: htmlHead, each: htmlMessage, foot: "</body>\n</html>" },
};

const NAMES = { user: "User", assistant: "Assistant", system: "Event", toolResult: "Result" } as const;

function titleOf({ key, sessionId }: SessionInfo): string {
  return sessionId === null ? key : `${key} (${sessionId})`;
}

function mdMessage(message: Message): string {
  const head = `\n## ${headOf(message)}\n`;
  if (message.role === "toolResult") return [head, fenced(message.content.output)].join("\n");
  if (message.role !== "assistant") return [head, message.content].join("\n");
  const { text, toolCalls = [] } = message.content;
  const calls = toolCalls.map(({ name, args }) => `**${name}**\n\n${fenced(JSON.stringify(args, null, 2))}`);
  return [head, [...(text === "" ? [] : [text]), ...calls].join("\n\n")].join("\n");
}

function headOf(message: Message): string {
  const when = new Date(message.timestamp).toISOString().slice(0, 16).replace("T", " ");
  const of = message.role === "toolResult" ? ` of ${message.content.toolName}` : "";
  return `${NAMES[message.role]}${of}, ${when}`;
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}h2{font-size:1rem;margin:1.5rem 0 .25rem}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#8881;padding:.5rem;border-radius:.25rem}p{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0}";

function htmlHead(session: SessionInfo): string {
  const title = escaped(titleOf(session));
  return [
    "<!doctype html>",
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>`,
    `<body>\n<h1>${title}</h1>`,
  ].join("\n");
}

function htmlMessage(message: Message): string {
  const head = `<h2>${escaped(headOf(message))}</h2>`;
  if (message.role === "toolResult") return `${head}\n<pre>${escaped(message.content.output)}</pre>`;
  if (message.role !== "assistant") return `${head}\n<p>${escaped(message.content)}</p>`;
  const { text, toolCalls = [] } = message.content;
  const calls = toolCalls.map(
    ({ name, args }) => `<h2>${escaped(name)}</h2>\n<pre>${escaped(JSON.stringify(args, null, 2))}</pre>`,
  );
  return [head, ...(text === "" ? [] : [`<p>${escaped(text)}</p>`]), ...calls].join("\n");
}

const ENTITIES: { readonly [char: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}
