// just-bash's interpreter. Its package does not export the class, so it is taken from an instance at work; gsv then replaces some methods.
// The version of the package is fixed, and the tests of the shell notice if a method is gone.

import { Bash, type IFileSystem } from "just-bash/browser";
import type { Node } from "../rewrite/nodes.ts";

export interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly stdoutKind?: "text" | "bytes";
  readonly stdoutEncoding?: "binary";
  /** Bytes that the limit of output has counted. */
  readonly internalOutputAccounting?: { readonly stdout: number; readonly stderr: number };
}

export interface ShellArray {
  readonly kind: "indexed" | "associative";
  elements: Map<string, string>;
}

/** The parts of an interpreter's state that gsv reads or sets. */
export interface State {
  readonly env: Map<string, string>;
  arrays?: Map<string, ShellArray>;
  readonly functions: ReadonlyMap<string, Node>;
  readonly options: { readonly [name: string]: boolean };
  readonly shoptOptions: { readonly [name: string]: boolean };
  readonly readonlyVars?: ReadonlySet<string>;
  readonly namerefs?: ReadonlySet<string>;
  /** Input of the enclosing command, as far as it was not read. */
  groupStdin?: string | undefined;
  lastArg: string;
  loopDepth: number;
  parentHasLoopContext?: boolean;
  /** The pid of the subshell, and the one of its shell. */
  bashPid: number;
  nextVirtualPid: number;
  readonly virtualPid: number;
  /** How deep sourced files are nested. */
  readonly sourceDepth: number;
  /** Set within `$(…)`. */
  readonly suppressVerbose?: boolean;
  signal?: AbortSignal;
  processSubstitutionFsMounted?: boolean;
  /** Redirections by `exec`. */
  readonly fileDescriptors?: ReadonlyMap<number, string>;
}

export interface Interpreter {
  readonly ctx: {
    readonly state: State;
    readonly fs: IFileSystem;
    readonly commands: object;
    readonly limits: { readonly maxArrayElements: number; readonly maxOutputSize: number };
    readonly executionScope: {
      outputBytes: number;
      /** Throws if the script has printed too much. */
      accountResult(result: Result, name?: string): Result;
    };
    readonly execFn: (...args: readonly unknown[]) => Promise<Result>;
    substitutionDepth?: number | undefined;
  };
  executeScript(script: Node): Promise<Result>;
  executeStatement(statement: Node): Promise<Result>;
  executePipeline(pipeline: Node): Promise<Result>;
  executeCommand(command: Node, stdin: string, isStdinOwned?: boolean): Promise<Result>;
  executeSimpleCommand(command: Node, stdin: string): Promise<Result>;
  runCommand(
    name: string,
    args: readonly string[],
    quoted: readonly boolean[],
    stdin: string,
    skipsFunctions?: boolean,
    usesDefaultPath?: boolean,
    stdinFd?: number,
    isStdinOwned?: boolean,
  ): Promise<Result>;
}

const NAMES = [
  ...(["executeScript", "executeStatement", "executePipeline"] as const),
  ...(["executeCommand", "executeSimpleCommand", "runCommand"] as const),
];

type Name = (typeof NAMES)[number];
export type Methods = {
  readonly [Each in Name]: (this: Interpreter, ...args: Parameters<Interpreter[Each]>) => Promise<Result>;
};

/** Replaces methods for every later script. Each layer gets the methods as the layers before it have left them. */
export function replaceMethods(layers: readonly ((methods: Methods) => Partial<Methods>)[]): void {
  const one = instance();
  const prototype: object = Object.getPrototypeOf(one);
  countAsStated(Object.getPrototypeOf(one.ctx.executionScope));
  for (const layer of layers) {
    const methods: unknown = Object.fromEntries(NAMES.map((name) => [name, Reflect.get(prototype, name)]));
    Object.assign(prototype, layer(methods as Methods));
  }
}

/** The interpreter also compares the output before and after a command, which fails when commands run at the same time. */
function countAsStated(scope: Interpreter["ctx"]["executionScope"]): void {
  const { accountResult } = scope;
  scope.accountResult = function (result, name) {
    return accountResult.call(this, result, name);
  };
}

/** An interpreter binds its own methods when it is made. */
function instance(): Interpreter {
  let found: Interpreter | null = null;
  const { bind } = Function.prototype;
  Function.prototype.bind = function (this: (...args: never[]) => unknown, self: unknown, ...args: unknown[]) {
    if (typeof self === "object" && self !== null && "executePipeline" in self)
      found ??= self as unknown as Interpreter;
    return bind.call(this, self, ...args);
  };
  try {
    // Runs until its first wait, which is after the interpreter is made.
    void new Bash({ fs: {} as IFileSystem, commands: [], defenseInDepth: false }).exec(":");
  } finally {
    Function.prototype.bind = bind;
  }
  if (found === null) throw new Error("just-bash has another interpreter than gsv knows");
  return found;
}
