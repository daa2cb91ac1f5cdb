// Runs a gsv command with the terminal, inside the terminal shell. Ctrl-c goes to the command if it listens, or to the program that it gave the
// terminal to; it leaves a question. A command that only waits for the kernel is abandoned: its calls go on, its further output is dropped.

import type { Io, Output } from "../../commands/command.ts";
import { runCommandLine } from "../../commands/run.ts";
import { ENDED_BY } from "../../src/abi/errno.ts";
import { ioWith } from "./io-with.ts";

export async function ownCommand(argv: readonly string[], io: Io): Promise<number> {
  /** Listeners for ctrl-c. */
  let listening = 0;
  let isOver = false;
  const abandoned = Promise.withResolvers<number>();

  function heard<Listener>(hear: (listener: Listener) => () => void) {
    return (listener: Listener) => {
      listening++;
      const stop = hear(listener);
      let stops = () => {
        listening--;
        stop();
      };
      return () => {
        stops();
        stops = () => {};
      };
    };
  }

  function withTerminal<Asked extends readonly unknown[], Answer>(work: (...asked: Asked) => Promise<Answer>) {
    return async (...asked: Asked): Promise<Answer> => {
      listening++;
      try {
        return await work(...asked);
      } finally {
        listening--;
      }
    };
  }

  /** Ctrl-c leaves the question. */
  const asking = withTerminal(async (question: string) => {
    const leave = new AbortController();
    const stop = io.onSignal((name) => name === "INT" && leave.abort());
    return await io.person.ask(question, leave.signal).finally(stop);
  });

  const output = (to: Output): Output =>
    Object.create(to, {
      closed: { get: () => isOver || to.closed },
      write: { value: async (text: string | Uint8Array) => (isOver ? undefined : await to.write(text)) },
    });

  const release = io.onSignal((name) => {
    if (name !== "INT" || listening > 0) return;
    isOver = true;
    abandoned.resolve(ENDED_BY.INT);
  });
  const { askHidden, edit } = io.person;
  const own = ioWith(io, {
    stdout: output(io.stdout),
    stderr: output(io.stderr),
    onSignal: heard(io.onSignal.bind(io)),
    onEnding: heard(io.onEnding.bind(io)),
    person: {
      // Requests are shown as cards.
      answersHere: () => false,
      ask: asking,
      askHidden: withTerminal(askHidden),
      edit: withTerminal(edit),
    },
    spawn: withTerminal(io.spawn.bind(io)),
    hostTerminal: withTerminal(io.hostTerminal.bind(io)),
  });
  try {
    return await Promise.race([runCommandLine(argv, own), abandoned.promise]);
  } finally {
    release();
  }
}
