// Chat completion requests, understood by every compatible server. Thinking and call marks are sent back under the names they came by.

import type { ModelRequest } from "../../abi/stream.ts";
import type { Access } from "../access.ts";
import { type ShowMedia, sealOwner, type Turn, textsAndImages, toolsAndMessages, unsealed } from "../conversation.ts";
import { recordOf } from "../json.ts";
import type { ModelFacts } from "../models.ts";
import type { KeptTurn } from "./chat-events.ts";

export function chatBody(request: ModelRequest, facts: ModelFacts, access: Access): object {
  const maxTokens = Math.min(access.maxTokens, facts.outputTokens);
  const by = sealOwner(facts);
  // OpenAI's reasoning models accept only the new name; other servers know only the old one.
  const isOpenAis = facts.provider === "openai" && (access.isOwn || facts.thinking === "effort");
  return {
    model: facts.isKnown ? facts.id : request.model,
    stream: true,
    stream_options: { include_usage: true },
    ...(isOpenAis ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(facts.thinking === "effort" ? { reasoning_effort: effortOf(access) } : {}),
    ...toolsAndMessages(request, (turn) =>
      messagesOf(turn, by, (said) => textsAndImages(said, request.images, facts.sees)),
    ),
  };
}

export function effortOf({ reasoning }: Access): string {
  return reasoning === "off" || reasoning === "minimal" ? "low" : reasoning === "xhigh" ? "high" : reasoning;
}

function messagesOf(turn: Turn, by: string, shown: ShowMedia): object[] {
  if (turn.role === "assistant") {
    const { marks = {}, ...thinking } = (recordOf(unsealed(turn.seal, by)[0]) ?? {}) as KeptTurn;
    const calls = turn.calls.map(({ id, name, args }, at) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
      ...(marks[at] === undefined ? {} : { extra_content: marks[at] }),
    }));
    const said = turn.text === "" ? null : turn.text;
    return [{ role: "assistant", content: said, ...thinking, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
  }
  const results = turn.results.map(({ callId, output }) => ({ role: "tool", tool_call_id: callId, content: output }));
  const { texts, images } = shown(turn);
  const said = texts.map((text) => ({ role: "user", content: text }));
  if (images.length === 0) return [...results, ...said];
  const pictures = images.map(({ type, data }) => ({
    type: "image_url",
    image_url: { url: `data:${type};base64,${data}` },
  }));
  return [...results, ...said, { role: "user", content: pictures }];
}
