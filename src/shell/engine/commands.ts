// Commands of a stage: programs get its streams, `read` takes what it needs as it comes, and other commands get the whole input.

import type { Clock } from "../../lib/clock.ts";
import { streamWord } from "../programs/internal-words.ts";
import type { Calls } from "./calls.ts";
import type { Interpreter, Methods } from "./interpreter.ts";
import { narrowed } from "./narrowed.ts";
import { linesFor, readFrom, refusedRead } from "./reading.ts";
import { streamsOf, within } from "./streams.ts";
import { runLimited } from "./timeouts.ts";

/** Commands of the interpreter that use their stdin. */
const READERS = new Set(
  "base64 bash column comm file gunzip gzip html-to-markdown join jq rg sh sha1sum split strings tree unexpand expand zcat time timeout".split(
    " ",
  ),
);

interface Shared {
  readonly clock: Clock;
  readonly calls: Calls;
}

export function withCommands(sharedOf: (shell: Interpreter) => Shared | null) {
  return ({ runCommand }: Methods): Partial<Methods> => ({
    async runCommand(name, args, quoted, stdin, skipsFunctions, usesDefaultPath, stdinFd, isStdinOwned) {
      const run = (words = args) =>
        runCommand.call(this, name, words, quoted, stdin, skipsFunctions, usesDefaultPath, stdinFd, isStdinOwned);
      const shared = sharedOf(this);
      if (shared === null) return run();
      const { clock, calls } = shared;
      const { state } = this.ctx;
      const streams = streamsOf(this);
      const definition = skipsFunctions === true ? undefined : state.functions.get(name);
      const isTraced = state.options.xtrace === true;
      if (definition !== undefined || name === "eval" || name === "source" || name === ".") {
        const inside =
          definition === undefined
            ? streams
            : narrowed(streams, { ...definition, type: "Group" }, { ctx: this.ctx, isStdinOwned: false });
        // A traced call is printed before what it prints.
        return within(this, isTraced ? { ...inside, err: null } : inside, () => run());
      }
      const { input } = streams;
      const isLive = input !== null && stdin === "" && isStdinOwned !== true && (state.groupStdin ?? "") === "";
      const isRedirected = state.fileDescriptors?.has(1) === true || state.fileDescriptors?.has(2) === true;
      const own = { ...(isRedirected ? { out: null, err: null } : streams), input: isLive ? input : null };
      if (calls.isProgram(name)) {
        // Otherwise the output is collected, which takes several times its size.
        const isStreamed = own.out?.isScript === true && !isTraced;
        const isStage = own.input !== null || own.out?.pipe || own.err?.pipe;
        if (!isStage && !isStreamed) return run();
        const call = calls.open(own);
        try {
          return await run([streamWord(call), ...args]);
        } finally {
          calls.close(call);
        }
      }
      if (name === "timeout" && (own.input !== null || own.out !== null)) {
        const limits = runLimited(this, args, clock);
        if (limits !== null) return limits;
      }
      const refused = name === "read" ? refusedRead(args) : null;
      if (refused !== null) return refused;
      if (!isLive) return run();
      if (name === "read") return readFrom(this, args, input, { clock, run: () => run() });
      const isLines = name === "mapfile" || name === "readarray";
      if (!isLines && !READERS.has(name)) return run();
      state.groupStdin = isLines ? (await linesFor(args, input)).toString() : (await input.rest()).toString("latin1");
      try {
        return await run();
      } finally {
        state.groupStdin = "";
      }
    },
  });
}
