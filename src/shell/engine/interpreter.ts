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
}

export interface ShellArray {
  readonly kind: "indexed" | "associative";
  elements: Map<string, string>;
}

/** The parts of an interpreter's state that gsv reads or sets. */
export interface State {
  readonly env: Map<string, string>;
  arrays?: Map<string, ShellArray>;
  readonly options: { readonly [name: string]: boolean };
  readonly readonlyVars?: ReadonlySet<string>;
  readonly namerefs?: ReadonlySet<string>;
}

export interface Interpreter {
  readonly ctx: {
    readonly state: State;
    readonly fs: IFileSystem;
    readonly limits: { readonly maxArrayElements: number };
  };
  executeSimpleCommand(command: Node, stdin: string): Promise<Result>;
}

type Method = "executeSimpleCommand";
type Methods = {
  readonly [Name in Method]: (this: Interpreter, ...args: Parameters<Interpreter[Name]>) => Promise<Result>;
};

/** Replaces methods for every later script. */
export function replaceMethods(replacements: (original: Methods) => Partial<Methods>): void {
  const prototype: object = Object.getPrototypeOf(instance());
  Object.assign(prototype, replacements({ ...methodsOf(prototype) }));
}

function methodsOf(prototype: object): Methods {
  const names: readonly Method[] = ["executeSimpleCommand"];
  return Object.fromEntries(names.map((name) => [name, Reflect.get(prototype, name)])) as unknown as Methods;
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
