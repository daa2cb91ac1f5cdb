// Output that is too large for its file: the message names the file, as for any other file that is too large.

import { sizeText } from "../../lib/text/size.ts";
import { isInternal } from "../programs/internal-words.ts";
import { isNode, type Node } from "../rewrite/nodes.ts";
import type { Methods } from "./interpreter.ts";

export const NOT_WRITTEN = /: output larger than \S+ \S+, not written$/m;

export function withFileLimits({ executeCommand }: Methods): Partial<Methods> {
  return {
    async executeCommand(command, ...rest) {
      try {
        return await executeCommand.call(this, command, ...rest);
      } catch (error) {
        const file = fileOf(command);
        const { name, limitType } = error as { readonly name?: string; readonly limitType?: string };
        if (name !== "ExecutionLimitError" || limitType !== "output_size" || file === null) throw error;
        const most = sizeText(this.ctx.limits.maxOutputSize);
        const stderr = `bash: ${file}: output larger than ${most}, not written\n`;
        throw Object.assign(error as object, { stdout: "", stderr, limitType: "file_size" });
      }
    },
  };
}

/** The file of `> FILE` as it is written; null if there is none. */
function fileOf({ redirections }: Node): string | null {
  const into = ((redirections ?? []) as readonly Node[]).findLast(
    ({ operator, fd }) => [">", ">>", ">|"].includes(String(operator)) && (fd ?? 1) === 1,
  );
  if (into === undefined || !isNode(into.target)) return null;
  const text = ((into.target.parts ?? []) as readonly Node[]).map(textOf).join("");
  return text === "" || isInternal(text) ? null : text;
}

function textOf({ type, value, user, parameter, parts }: Node): string {
  if (type === "TildeExpansion") return `~${typeof user === "string" ? user : ""}`;
  if (type === "ParameterExpansion") return `$${parameter}`;
  if (Array.isArray(parts)) return (parts as readonly Node[]).map(textOf).join("");
  return typeof value === "string" ? value : "…";
}
