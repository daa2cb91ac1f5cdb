// Handles messages before they are sent: runs slash commands and answers them, takes directives out of a message and sends them with it,
// and passes everything else on unchanged. Commands run as calls with the sender's rights. Messages of processes are never commands: text
// that an agent read somewhere must not command anyone.

import { SysError } from "../abi/errno.ts";
import { initPid } from "../abi/ids.ts";
import { commandIn, type Directed, directedIn, LEVELS, type SlashCommand } from "../abi/inbound.ts";
import type { ProcessInfo } from "../abi/process/process.ts";
import { reveal } from "../lib/text/sanitize.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { CompactResult } from "../syscalls/proc/history-service.ts";
import { answersText, type ProcessModel, type ProcessThinking } from "../syscalls/run/ai.ts";
import type { Aborted, Answered, Closed, HistoryPage, Processes } from "../syscalls/services.ts";

/** A call as the sender; done once, however often the message is sent. */
export type CallAs = <Result>(context: CallContext, name: string, args: object) => Promise<Result>;

const KEEP_DEFAULT = 20;

type Send = Processes["send"];

export function answering(send: Send, callAs: CallAs): Send {
  return async (context, request) => {
    if (context.caller.kind !== "person") return await send(context, request);
    const pid = request.pid ?? initPid(context.caller.ownerUid);
    const call = <Result>(name: string, args: object = {}) => callAs<Result>(context, name, { pid, ...args });
    const { media = [] } = request;
    const command = media.length > 0 ? null : commandIn(request.message);
    if (command !== null) return answer(pid, "command", await carriedOut(call, pid, command));
    const directed = directedIn(request.message);
    const { text: message, thinking, model, status } = directed;
    const statusText = status ? await statusOf(call) : null;
    if (message === "") return answer(pid, "directive-only", statusText ?? onlyDirected(directed));
    const sent = await send(context, {
      ...request,
      message,
      ...(model === null ? {} : { model }),
      ...(thinking === null ? {} : { thinking }),
    });
    return statusText === null || sent.status !== "started" ? sent : { ...sent, response: statusText };
  };
}

type Call = <Result>(name: string, args?: object) => Promise<Result>;

function answer(pid: string, status: Answered["status"], response: string): Answered {
  return { pid, runId: null, status, queued: false, response };
}

async function carriedOut(call: Call, pid: string, said: SlashCommand): Promise<string> {
  switch (said.command) {
    case "wrong":
      throw new SysError("EINVAL", said.why);
    case "help":
      return HELP;
    case "status":
      return await statusOf(call);
    case "reset": {
      const { archivedMessages, archivedTo } = await call<Closed>("proc.reset");
      const archived =
        archivedTo === null ? "nothing to archive" : `archived ${archivedMessages} messages to ${archivedTo}`;
      return `reset ${pid}: ${archived}`;
    }
    case "stop": {
      const { aborted } = await call<Aborted>("proc.abort");
      return aborted ? `aborted the run of ${pid}` : `${pid} is idle`;
    }
    case "compact": {
      const { did, trimmed, kept } = await call<CompactResult>("proc.compact", { keep: said.keep ?? KEEP_DEFAULT });
      if (did !== "compacted") return `no compaction needed (${kept} messages)`;
      return `compacted: trimmed ${trimmed} messages, kept ${kept}`;
    }
    case "model": {
      const model = await call<ProcessModel>("proc.model", said.model === null ? {} : { model: said.model });
      return `model: ${answersText(model)}`;
    }
    case "think": {
      const { thinking, usual } = await call<ProcessThinking>(
        "proc.think",
        said.level === null ? {} : { level: said.level },
      );
      return `thinking: ${thinking ?? `${usual} (account default)`}; ${LEVELS}`;
    }
  }
}

async function statusOf(call: Call): Promise<string> {
  const info = await call<ProcessInfo>("proc.get");
  const { messageCount } = await call<HistoryPage>("proc.history", { limit: 1 });
  const { answers } = await call<ProcessModel>("proc.model");
  const label = info.label === null ? "" : ` (${reveal(info.label)})`;
  return [
    `${info.pid}${label}: ${info.state}${info.queued > 0 ? `, ${info.queued} waiting` : ""}`,
    `model: ${answers}`,
    `messages: ${messageCount}`,
    `tokens: ${info.tokens}`,
  ].join("\n");
}

function onlyDirected({ thinking, model }: Directed): string {
  const said = [...(thinking === null ? [] : [`thinking ${thinking}`]), ...(model === null ? [] : [`model ${model}`])];
  return said.length === 0
    ? "the message is empty"
    : `${said.join(", ")}: applies to one message, and there was none; to set it for all messages: /think or /model`;
}

const HELP = [
  "/new, /reset       archive this conversation and start a new one",
  "/compact [N]       summarize older messages, keep the newest N",
  "/stop              abort the current run",
  "/status            show state, model, messages and tokens",
  "/model [NAME]      show or set the model",
  "/think [LEVEL]     show or set the thinking level",
  "/think:LEVEL /model:NAME within a message apply to that message; // sends the command as text",
].join("\n");
