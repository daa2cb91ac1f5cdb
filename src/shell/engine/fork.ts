// A copy of an interpreter with its whole state, which runs at the same time as the original: a subshell.

import type { Interpreter, State } from "./interpreter.ts";

/** The pids of the shells that run stages of pipes. */
export const stagePids = new WeakMap<Interpreter, number>();
const forks = new WeakSet<Interpreter>();

export function fork(original: Interpreter): Interpreter {
  const { ctx } = original;
  const state = copied(ctx.state, new Map()) as State;
  // The original's files of `<(…)` can be read, but a copy makes its own elsewhere.
  state.processSubstitutionFsMounted = false;
  // One counter, so that no two subshells have the same pid.
  Object.defineProperty(state, "nextVirtualPid", {
    get: () => ctx.state.nextVirtualPid,
    set: (pid: number) => {
      ctx.state.nextVirtualPid = pid;
    },
    enumerable: true,
  });
  // The interpreter accounts a command by the difference before and after, which other stages must not change.
  const executionScope = Object.assign(Object.create(ctx.executionScope), { outputBytes: 0 });
  const Class = original.constructor as new (options: object, state: State) => Interpreter;
  const exec = forks.has(original) ? ctx.execFn : uncounted(ctx);
  const copy = new Class({ ...ctx, exec, executionScope }, state);
  forks.add(copy);
  copy.ctx.substitutionDepth = ctx.substitutionDepth;
  return copy;
}

/** Scripts that programs run are counted in the original; here their output is counted with that of the program. */
function uncounted({ execFn, executionScope }: Interpreter["ctx"]): Interpreter["ctx"]["execFn"] {
  return async (...args) => {
    const { internalOutputAccounting: counted, ...result } = await execFn(...args);
    executionScope.outputBytes -= (counted?.stdout ?? 0) + (counted?.stderr ?? 0);
    return result;
  };
}

/** Copies maps, sets, lists and the records of the state; definitions and signals are shared. */
function copied(value: unknown, known: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const before = known.get(value);
  if (before !== undefined) return before;
  const copy = copyOf(value, (each) => copied(each, known));
  known.set(value, copy);
  return copy;
}

function copyOf(value: object, inner: (value: unknown) => unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, inner(each)]));
  if (value instanceof Set) return new Set(value);
  if (Array.isArray(value)) return value.map(inner);
  const isRecord = Object.getPrototypeOf(value) === Object.prototype && !("type" in value);
  return isRecord ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inner(each)])) : value;
}
