// The Io of a gsv command inside a shell script: the script's streams and kernel connection, and no terminal.

import type { Input, Io, Output } from "../../../commands/command.ts";
import { SysError } from "../../abi/errno.ts";
import type { Source } from "../programs/pipe.ts";
import { inDirectory } from "./directory.ts";
import type { KernelPort } from "./kernel-port.ts";

export interface ShellPlace {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly stdin: Source;
  /** It is behind another command in a pipe. */
  readonly hasInput: boolean;
  /** A program reads the output while it is printed, and may stop early. */
  readonly isRead: boolean;
  /** Resolves when that program is gone. */
  readonly readerGone: Promise<void> | null;
  readonly stdout: Output;
  readonly stderr: Output;
}

export type ShellIo = (place: ShellPlace) => Io;

/** What a program needs of the environment. */
export type Machine = Pick<Io, "clock" | "random" | "manual">;

const inHere: Pick<Io, "onWord" | "jq"> = {
  onWord: () => () => {},
  jq: async (expression) => (await import("../jq.ts")).jqProgram(expression),
};

export function shellIo(kernel: KernelPort, machine: Machine): ShellIo {
  return ({ cwd, env, stdin, hasInput, isRead, readerGone, stdout, stderr }) => {
    const sys = inDirectory(kernel.sys(), cwd);
    return {
      stdout,
      stderr,
      stdin: inputOf(stdin, hasInput),
      env,
      cwd,
      ...inHere,
      ...(isRead ? {} : { isScript: true as const }),
      ...machine,
      sys: () => sys,
      sysWith: () => {
        throw new SysError("EUSAGE", "a token is not available in a script", ["run it outside of gsv's shell"]);
      },
      kernel: { start: () => sys.call("system.start", {}), manage: outside("manager") },
      peek: async () => sys,
      conceal: async (text) => text,
      // Programs are ended by the script's time limit or its caller.
      onSignal: () => () => {},
      onEnding: endsWithReader(readerGone),
      remotes: {
        choose: () => {
          throw new SysError("EPERM", "a script cannot use another kernel", ["gsv --remote NAME sh …"]);
        },
        ...{
          current: async () => null,
          name: null,
          onLine: () => () => {},
          onSignedOut: () => () => {},
          onlyHere: async () => {},
        },
        saved: outside("remote"),
        entry: outside("login"),
      },
      override: async () => {
        throw new SysError("EUSAGE", "--set is not available in a script", ["gsv --set KEY=VALUE sh …"]);
      },
      signIn: {
        as: (name) => {
          throw new SysError("EPERM", `a script cannot act as another account: ${name}`, ["gsv --user NAME sh …"]);
        },
        unasked: () => {},
        keep: needsTerminal("auth login"),
        kept: async () => null,
        forget: async () => {},
      },
      person: {
        answersHere: () => false,
        ask: needsTerminal("a question"),
        askHidden: needsTerminal("a secret"),
        edit: needsTerminal("an editor"),
      },
      machine: {
        ...{ doctor: outside("doctor"), places: outside("paths"), providers: outside("auth setup") },
        wakeTimer: outside("sched wake"),
        serveService: outside("serve install"),
        browser: outside("mcp login"),
      },
      keep: { backup: outside("backup"), restore: outside("restore"), usage: outside("df") },
      host: outside("host: paths"),
      spawn: needsTerminal("a program of the host"),
      hostTerminal: needsTerminal("a shell of the host"),
      hostLine: needsTerminal("a program of the host"),
      isOnPath: () => false,
    };
  };
}

function endsWithReader(gone: Promise<void> | null): Io["onEnding"] {
  return (listener) => {
    let isOver = false;
    void gone?.then(() => {
      if (!isOver) listener("PIPE");
    });
    return () => {
      isOver = true;
    };
  };
}

function inputOf(source: Source, isGiven: boolean): Input {
  return {
    isTTY: false,
    kind: isGiven ? "pipe" : "none",
    async *bytes() {
      for (let piece = await source.next(); piece !== null; piece = await source.next()) yield piece;
    },
  };
}

function needsTerminal(what: string): () => Promise<never> {
  return async () => {
    throw new SysError("EUSAGE", `${what} needs a terminal; a script has none`);
  };
}

function outside(command: string): () => Promise<never> {
  return async () => {
    throw new SysError("EUSAGE", `${command} is not available in a script`, ["run it outside of gsv's shell"]);
  };
}
