// The Io of a program that runs inside a shell: its streams are texts, its kernel is the shell's, and there is no person at a terminal.

import { SysError } from "../../src/abi/errno.ts";
import type { Input, Io, Output } from "../command.ts";
import type { KernelLine } from "./kernel-line.ts";
import { inDirectory } from "./stand.ts";

export interface ShellPlace {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly stdin: Uint8Array;
  readonly stdout: Output;
  readonly stderr: Output;
}

export type ShellIo = (place: ShellPlace) => Io;

/** What a program takes of the machine. */
export type Machine = Pick<Io, "clock" | "random" | "manual">;

const inHere: Pick<Io, "isScript" | "onWord" | "jq"> = {
  isScript: true,
  onWord: () => () => {},
  jq: async (expression) => (await import("./jq.ts")).jqProgram(expression),
};

export function shellIo(kernel: KernelLine, machine: Machine): ShellIo {
  return ({ cwd, env, stdin, stdout, stderr }) => {
    const sys = inDirectory(kernel.sys(), cwd);
    return {
      stdout,
      stderr,
      stdin: inputOf(stdin),
      env,
      cwd,
      ...inHere,
      ...machine,
      sys: () => sys,
      kernel: { start: () => sys.call("system.start", {}) },
      peek: async () => sys,
      conceal: async (text) => text,
      // A script's wall limit and whoever runs it end a program.
      onSignal: () => () => {},
      onEnding: () => () => {},
      override: async () => {
        throw new SysError("EUSAGE", "--set stands outside of a shell", ["gsv --set KEY=VALUE sh …"]);
      },
      signIn: {
        as: (name) => {
          throw new SysError("EPERM", `a shell acts as whoever started it, not as ${name}`, ["gsv --user NAME sh …"]);
        },
        unasked: () => {},
        keep: needsTerminal("auth login"),
        kept: async () => null,
        forget: async () => {},
      },
      person: {
        ask: needsTerminal("a question"),
        askHidden: needsTerminal("a secret"),
        edit: needsTerminal("an editor"),
      },
      machine: { doctor: outside("doctor"), places: outside("paths"), providers: outside("auth setup") },
      keep: { backup: outside("backup"), restore: outside("restore"), usage: outside("df") },
      host: outside("host: paths"),
      spawn: needsTerminal("a program of the host"),
      hostTerminal: needsTerminal("a shell of the host"),
    };
  };
}

function inputOf(bytes: Uint8Array): Input {
  return {
    isTTY: false,
    kind: bytes.byteLength === 0 ? "none" : "pipe",
    async *bytes() {
      yield bytes;
    },
  };
}

function needsTerminal(what: string): () => Promise<never> {
  return async () => {
    throw new SysError("EUSAGE", `${what} needs a terminal, which a script in gsv has not`);
  };
}

function outside(command: string): () => Promise<never> {
  return async () => {
    throw new SysError("EUSAGE", `${command} reaches the machine, which a script in gsv does not`, [
      "run it outside of the shell",
    ]);
  };
}
