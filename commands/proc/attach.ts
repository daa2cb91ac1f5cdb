// `gsv attach PID`: the gsv terminal on this process. Without a terminal, use `logs -f`.

import { SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import { command } from "../define.ts";
import { parseCommandLine } from "../parse.ts";

export interface AttachRequest {
  /** Undefined: your init. */
  readonly pid: string | undefined;
  readonly readOnly: boolean;
}

const spec = {
  name: "attach",
  summary: "Attach the terminal to a process",
  input: {
    pid: field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" })),
    readOnly: field.flag("read-only"),
  },
  examples: ["gsv attach", "gsv attach task:abc123", "gsv attach task:abc123 --read-only"],
  notes: ["Several terminals can attach to one process. To detach, press ctrl-d; the process continues."],
} as const;

export const attach = command(spec, async ({ args: { pid } }) => {
  throw new SysError("EUSAGE", "attach needs a terminal", [
    `without a terminal: gsv logs -f${pid === undefined ? "" : ` ${pid}`}`,
  ]);
});

/** null if the command itself must answer: help, --json, usage errors. */
export async function attachRequest(argv: readonly string[]): Promise<AttachRequest | null> {
  const [, ...words] = argv;
  if (words.some((word) => word === "--help" || word === "-h" || word === "--json")) return null;
  try {
    const parsed = await parseCommandLine(spec, words);
    return parsed === "help" ? null : { pid: parsed.values.pid, readOnly: parsed.values.readOnly === true };
  } catch {
    // The command itself reports the error.
    return null;
  }
}
