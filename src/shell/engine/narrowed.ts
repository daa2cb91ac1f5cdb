// The streams inside a command: a redirection replaces a stream of the command around it.

import { ENDED_BY } from "../../abi/errno.ts";
import { SINKS } from "../programs/internal-words.ts";
import { Ended } from "../programs/program.ts";
import { isNode, literalText, type Node } from "../rewrite/nodes.ts";
import type { Interpreter } from "./interpreter.ts";
import type { Outlet, Streams } from "./streams.ts";

interface Place {
  readonly ctx: Pick<Interpreter["ctx"], "fs" | "executionScope" | "limits">;
  /** The caller gave the command its own input. */
  readonly isStdinOwned: boolean;
}

export function narrowed(before: Streams, { type, redirections }: Node, { ctx, isStdinOwned }: Place): Streams {
  const all = (redirections ?? []) as readonly Node[];
  if ((all.length === 0 || type === "FunctionDef") && !isStdinOwned) return before;
  let { out, err, input } = before;
  if (isStdinOwned) input = null;
  for (const redirection of all) {
    const sink = fileOf(redirection);
    const fds = fdsOf(redirection);
    if (sink === SINKS.stdout) out = scriptOutlet(ctx, sink);
    else if (sink === SINKS.stderr) err = scriptOutlet(ctx, sink);
    else {
      if (fds.includes(0)) input = null;
      if (fds.includes(1)) out = null;
      if (fds.includes(2)) err = null;
    }
  }
  return { out, err, input };
}

/** The standard descriptors that a redirection changes. */
function fdsOf(redirection: Node): readonly number[] {
  const { operator, fd, fdVariable } = redirection;
  const sign = String(operator);
  if (fdVariable) return [];
  if (sign.startsWith("&>")) return [1, 2];
  if (sign.startsWith("<")) return [Number(fd ?? 0)];
  const isBoth = sign === ">&" && (fd ?? null) === null && !/^(?:\d+|-)$/.test(fileOf(redirection) ?? "1");
  return isBoth ? [1, 2] : [Number(fd ?? 1)];
}

/** null for a here-document, or a name that is known only at run time. */
function fileOf({ target }: Node): string | null {
  return isNode(target) && target.type === "Word" ? literalText(target) : null;
}

/** The script's own output. */
export function scriptOutlet({ fs, executionScope, limits }: Place["ctx"], path: string): Outlet {
  return {
    pipe: null,
    isScript: true,
    write(bytes) {
      const room = Math.max(0, limits.maxOutputSize - executionScope.outputBytes);
      executionScope.outputBytes += bytes.byteLength;
      void fs.appendFile(path, bytes.subarray(0, room));
      if (bytes.byteLength > room) throw new Ended(ENDED_BY.output);
    },
    room: async () => {},
  };
}
