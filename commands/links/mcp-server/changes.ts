// Signals of the kernel as changes of resources. Several changes of one resource in a moment are one notice: a client reads it again anyway.

import { grants } from "../../../src/abi/identity.ts";
import type { SignalName } from "../../../src/abi/signal.ts";
import { uriOf } from "./resources.ts";
import type { ServerPorts } from "./tool.ts";

export interface Changes {
  readonly updated: (uri: string) => void;
  readonly listed: () => void;
}

const MOMENT_MS = 100;
const LISTED: readonly SignalName[] = ["process.spawn", "process.exit"];
const UPDATED: readonly SignalName[] = [
  ...(["chat.start", "chat.entered", "chat.text", "chat.tool_result", "chat.complete"] as const),
  ...(["chat.compacted", "process.compacted", "process.reset", "process.exit", "resync"] as const),
];

/** Returns a function to stop. */
export function watchChanges(
  { sys, clock, account }: Pick<ServerPorts, "sys" | "clock" | "account">,
  { updated, listed }: Changes,
): () => void {
  if (!grants(account.capabilities, "proc.history")) return () => {};
  const uris = new Set<string>();
  let isListed = false;
  let cancel: (() => void) | null = null;
  const notify = () => {
    cancel = null;
    const [changed, isChanged] = [[...uris], isListed];
    uris.clear();
    isListed = false;
    if (isChanged) listed();
    for (const uri of changed) updated(uri);
  };
  const stop = sys.on({ names: [...LISTED, ...UPDATED] }, ({ name, pid }) => {
    if (UPDATED.includes(name)) uris.add(uriOf(pid));
    isListed ||= LISTED.includes(name);
    cancel ??= clock.after(MOMENT_MS, notify);
  });
  return () => {
    cancel?.();
    stop();
  };
}
