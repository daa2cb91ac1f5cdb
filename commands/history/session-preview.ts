// `gsv session preview [KEY]`: the messages of a session, with shortened tool results.

import { ENDED_BY } from "../../src/abi/errno.ts";
import type { Message } from "../../src/abi/process/message.ts";
import { RESET_MARK, SUMMARY_MARK } from "../../src/abi/process/segment.ts";
import { MAIN_SESSION_KEY } from "../../src/abi/process/session.ts";
import { field } from "../../src/syscalls/define.ts";
import { sessionKey } from "../../src/syscalls/session/session.ts";
import type { SessionInfo } from "../../src/syscalls/session/session-service.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { printText } from "../print.ts";
import { messagesOf } from "./messages.ts";

const TOOL_CHARS_MAX = 200;

const previewInput = {
  key: sessionKey,
  limit: field.optional(field.int("number of messages (newest)", { min: 1, letter: "l", meta: "N" })),
};

export const preview = command(
  {
    name: "session preview",
    summary: "Print the messages of a session",
    input: previewInput,
    examples: ["gsv session preview", `gsv session preview ${MAIN_SESSION_KEY} --limit 5`],
  },
  async ({ args, json }, io) => {
    const sys = io.sys();
    const session = await sys.call<SessionInfo>("session.get", { key: args.key });
    if (!json) await printText(io.stdout, `Session: ${session.key} (${previewCount(session)})`);
    const skipped = args.limit === undefined ? 0 : Math.max(0, session.messages - args.limit);
    let number = 0;
    for await (const message of session.pid === null ? [] : messagesOf(sys, session.pid)) {
      if (!isSummary(message)) number += 1;
      if (number <= skipped) continue;
      if (json) await io.stdout.write(jsonLine(message));
      else await printText(io.stdout, previewText(message));
      if (!json && number === session.summarized && !isSummary(message))
        await printText(io.stdout, "(messages up to here: the model gets a summary)");
      if (io.stdout.closed) return ENDED_BY.PIPE;
    }
    return 0;
  },
);

function previewCount({ messages, summarized }: SessionInfo): string {
  const total = `${messages} messages total`;
  return summarized === 0 ? total : `${total}: ${messages - summarized} as they are, ${summarized} summarized`;
}

/** Summaries do not count as messages. */
function isSummary({ role, content }: Message): boolean {
  return role === "system" && [SUMMARY_MARK, RESET_MARK].some((mark) => content.startsWith(mark));
}

function first(text: string): string {
  const chars = [...text.slice(0, 2 * TOOL_CHARS_MAX + 2)];
  return chars.length > TOOL_CHARS_MAX ? `${chars.slice(0, TOOL_CHARS_MAX).join("")}...` : text;
}

function previewText(message: Message): string {
  switch (message.role) {
    case "assistant": {
      const calls = (message.content.toolCalls ?? []).map(({ name }) => `[Tool call: ${name}]`);
      const { text } = message.content;
      return `ASSISTANT: ${[...(text === "" ? [] : [text]), ...calls].join("\n")}`;
    }
    case "toolResult": {
      const { toolName, isError, output } = message.content;
      return `TOOL ${isError ? "ERROR" : "RESULT"} (${toolName}): ${first(output)}`;
    }
    case "user":
      return `USER: ${message.content}`;
    case "system":
      return `SYSTEM: ${message.content}`;
  }
}
