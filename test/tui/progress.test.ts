// How far a running call is, below the conversation.

import { test } from "bun:test";
import type { Signal } from "../../src/abi/signal.ts";
import { said } from "../support/chat.ts";
import { Played } from "../support/played.ts";

test("a running call shows how far it is", async () => {
  const played = await Played.open();
  const progress = { ...said.call("Read", {}), name: "chat.tool_progress", callId: "c1", text: "2/3 pages" } as Signal;
  await played.play(said.start(), said.call("mcp__notes__add", {}), progress);
  await played.until(/mcp__notes__add.* · 2\/3 pages/);
});
