// The Io of a program that runs inside a shell: its streams are texts, its kernel is the shell's, and there is no person at a terminal.

import { join } from "../../fs/path.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { syscallNamed } from "../../src/syscalls/table.ts";
import type { Input, Io, Output } from "../command.ts";
import type { KernelLine } from "./kernel-line.ts";

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

export function shellIo(kernel: KernelLine, machine: Machine): ShellIo {
  return ({ cwd, env, stdin, stdout, stderr }) => {
    const sys = inDirectory(kernel.sys(), cwd);
    return {
      stdout,
      stderr,
      stdin: inputOf(stdin),
      env,
      cwd,
      ...machine,
      sys: () => sys,
      kernel: { start: () => sys.call("system.start", {}) },
      peek: async () => sys,
      conceal: async (text) => text,
      // A script's wall limit and whoever runs it end a program.
      onSignal: () => () => {},
      override: async () => {
        throw new SysError("EUSAGE", "--set stands outside of a shell", ["gsv --set KEY=VALUE sh …"]);
      },
      signIn: {
        as: (name) => {
          throw new SysError("EPERM", `a shell acts as whoever started it, not as ${name}`, ["gsv --user NAME sh …"]);
        },
        secret: async () => null,
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
    };
  };
}

// The kernel knows where a connection stands; a shell stands wherever its script went.
function inDirectory(sys: Sys, cwd: string): Sys {
  return {
    ...sys,
    async call<Result>(name: string, args: object, options?: Parameters<Sys["call"]>[2]) {
      const { input = {} } = (await syscallNamed(name)) ?? {};
      const placed = Object.entries(args).map(([key, value]) => [
        key,
        isPath(input[key]) ? absolute(value, cwd) : value,
      ]);
      return sys.call<Result>(name, Object.fromEntries(placed), options);
    },
  };
}

function isPath(field: { readonly kind: string } | undefined): boolean {
  return field?.kind === "path" || field?.kind === "paths";
}

function absolute(value: unknown, cwd: string): unknown {
  if (Array.isArray(value)) return value.map((each) => absolute(each, cwd));
  return typeof value === "string" && !value.startsWith("~") ? join(cwd, value) : value;
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
