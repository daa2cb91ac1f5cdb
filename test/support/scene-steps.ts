// First steps shared by several scenes.

import type { WaitsFor } from "../../src/abi/process/process.ts";
import type { Signal, SignalOf } from "../../src/abi/signal.ts";
import { said } from "./chat.ts";
import type { Played, PlayOptions } from "./played.ts";
import { NOW } from "./scene-talk.ts";

export interface Scene {
  readonly name: string;
  readonly options?: Pick<PlayOptions, "history" | "prepare" | "setup">;
  readonly play: (played: Played) => Promise<void>;
}

export const held =
  (waitsFor: WaitsFor, state: "paused" | "stopped" | "running" = "paused") =>
  async (played: Played) => {
    await played.type(", go on\r");
    await played.play(said.start({ model: "anthropic/fable-5" }), { ...said.state(state, waitsFor), at: NOW });
  };

export function toolResult(tool: string, ok: boolean, output: string): Signal {
  return { ...(said.result(ok, output) as SignalOf<"chat.tool_result">), tool };
}

export async function asked(played: Played, question = ", why does my main process forget things?"): Promise<void> {
  await played.type(`${question}\r`);
  await played.play(said.start({ model: "anthropic/fable-5", seq: 1 }));
}
