// shell.*: bash over gsv's own files, in a thread that the kernel can end. Its output comes in pieces.

import { LIMITS } from "../abi/limits.ts";
import { field, syscall } from "./define.ts";
import type { Shells } from "./shell-service.ts";

const id = field.uuid("names the script: made anew for each");
const BASE64_MAX = Math.ceil(LIMITS.shellStdinBytesMax / 3) * 4;

export const shellCalls = [
  syscall({
    name: "shell.run",
    summary: "Run a shell script over gsv's files",
    class: "keyed",
    once: "answer",
    capability: "shell.exec",
    input: {
      id,
      script: field.text("what sh would get", { longest: LIMITS.shellScriptBytesMax }),
      name: field.optional(field.text("$0", { longest: 200 })),
      args: field.optional(field.words("$1 and on")),
      cwd: field.optional(field.path("where it starts; your home when left out")),
      stdin: field.optional(field.text("what it reads, in base64", { longest: BASE64_MAX })),
      session: field.optional(field.text("lines with the same one go on from each other", { longest: 64 })),
      timeoutMs: field.optional(field.int("how long it may take", { min: 1, max: LIMITS.shellWallMsMax })),
    },
    cli: { hidden: true, examples: ["gsv sh -c 'ls /proc'"], print: { kind: "silent" } },
    run: ({ shells }: { shells: Shells }, args, context) => shells.run(context, args),
  }),

  syscall({
    name: "shell.output",
    summary: "Read on in what a script has printed",
    class: "wait",
    capability: "shell.exec",
    input: {
      id,
      from: field.int("bytes read so far, of both streams together", { min: 0 }),
      waitMs: field.withDefault(field.int("how long to wait for more", { min: 0, max: 60_000 }), 0),
    },
    cli: { hidden: true, examples: [], print: { kind: "silent" } },
    run: ({ shells }: { shells: Shells }, args, context) => shells.output(context, args),
  }),

  syscall({
    name: "shell.stop",
    summary: "Stop a script",
    class: "keyed",
    capability: "shell.exec",
    input: { id },
    cli: { hidden: true, examples: [], print: { kind: "silent" } },
    run: ({ shells }: { shells: Shells }, args, context) => shells.stop(context, args.id),
  }),
] as const;
