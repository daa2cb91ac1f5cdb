// `awk`: runs a program over records and fields. Reads and prints in pieces, uses the shell's files and commands, and obeys the shell's
// limits.

import { options } from "../options.ts";
import { type Call, text, Usage } from "../program.ts";
import { builtin } from "./builtins.ts";
import type { Code } from "./code.ts";
import { type Callable, type Scope, truth } from "./expressions.ts";
import { Machine } from "./machine.ts";
import { parsed } from "./parse.ts";
import { FLOW, type Flow, statement } from "./statements.ts";
import type { FunctionText, ProgramText, Rule } from "./syntax.ts";
import { unescaped } from "./tokens.ts";
import { Input, type Value } from "./values.ts";

const EXIT_FAULT = 2;

export async function awk(call: Call): Promise<number> {
  const { uses, operands } = options("awk", call.args, {
    letters: "F:v:f:e:W:",
    long: { "field-separator=": "F", "assign=": "v", "file=": "f", "source=": "e" },
    stopsEarly: true,
    status: EXIT_FAULT,
  });
  const sources: string[] = [];
  for (const [flag, value] of uses) {
    if (flag === "f") sources.push(await programText(call, value));
    if (flag === "e") sources.push(value);
  }
  const [first, ...rest] = sources.length > 0 ? ["", ...operands] : operands;
  if (first === undefined)
    throw new Usage("usage: awk [-F fs] [-v var=value] ['prog' | -f progfile] [file ...]", EXIT_FAULT);
  const machine = new Machine(call);
  const words = ["awk", ...rest].map((word, at) => [String(at), new Input(word)] as const);
  machine.cell("ARGV").value = new Map<string, Value>(words);
  machine.cell("ARGC").value = words.length;
  for (const [flag, value] of uses) {
    if (flag === "F") machine.cell("FS").value = value === "t" ? "\t" : unescaped(value);
    if (flag !== "v") continue;
    const [, name, given = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(value) ?? [];
    if (name === undefined) throw new Usage(`awk: ${value} is no assignment`, EXIT_FAULT);
    machine.assign(name, given);
  }
  return carriedOut(parsed(sources.length > 0 ? sources.join("\n") : first), machine);
}

async function programText(call: Call, name: string): Promise<string> {
  try {
    return await text(call, name);
  } catch {
    throw new Usage(`awk: cannot open ${name} (No such file or directory)`, EXIT_FAULT);
  }
}

async function carriedOut(program: ProgramText, machine: Machine): Promise<number> {
  const scope = scopeOf(program, machine);
  const ready = program.rules.map((rule, at) => ({ rule, code: ruleCode(rule, at, scope) }));
  const of = (when: Rule["when"]) => ready.filter(({ rule }) => rule.when === when).map(({ code }) => code);
  try {
    let flow = await oneByOne(of("begin"));
    const [records, ends] = [of("record"), of("end")];
    if (flow !== FLOW.exit && records.length + ends.length > 0) flow = await overRecords(records, machine);
    if (flow !== FLOW.exit || ends.length > 0) await oneByOne(ends);
  } catch (error) {
    if (!(error instanceof Left)) {
      machine.outputs.flush();
      throw error instanceof RangeError ? new Usage("awk: nested too deeply, or too big", EXIT_FAULT) : error;
    }
  }
  await machine.outputs.closeAll();
  return machine.status;
}

function scopeOf({ functions, rules: _ }: ProgramText, machine: Machine): Scope {
  const known = new Map<string, Callable>();
  for (const { name, parameters } of functions) known.set(name, { parameters, body: null });
  const callsWait = functions.some(({ body }) => waitsIn(body));
  const scope: Scope = { machine, functions: known, callsWait, locals: [], builtin };
  for (const each of functions) {
    const found = known.get(each.name);
    if (found !== undefined) found.body = functionBody(each, scope);
  }
  return scope;
}

function functionBody({ parameters, body }: FunctionText, scope: Scope): NonNullable<Callable["body"]> {
  const ready = statement(body, { ...scope, locals: parameters });
  const { machine } = scope;
  const ended = (flow: Flow): Value => {
    if (flow === FLOW.return) {
      const value = machine.returned;
      machine.returned = undefined;
      return value;
    }
    if (flow === FLOW.on) return undefined;
    throw new Left(flow);
  };
  if (ready.waits) return async (frame) => ended(await ready.run(frame));
  return (frame) => ended(ready.run(frame) as Flow);
}

/** `exit` and `next` unwind through functions. */
class Left extends Error {
  constructor(readonly flow: Flow) {
    super("left");
  }
}

function waitsIn(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(waitsIn);
  if (typeof value !== "object" || value === null) return false;
  const { is, name } = value as { is?: string; name?: unknown };
  if (is === "getline" || (is === "builtin" && (name === "system" || name === "close"))) return true;
  return Object.values(value).some(waitsIn);
}

function ruleCode({ conditions, body }: Rule, at: number, scope: Scope): Code<Flow> {
  const work = statement(body ?? { is: "print", format: false, values: [], into: null }, scope);
  const [first, last] = conditions.map((each) => truth(each, scope));
  if (first === undefined) return work;
  const { ranges } = scope.machine;
  if (!work.waits && !first.waits && last?.waits !== true) {
    return {
      waits: false,
      run(frame) {
        if (last === undefined) return first.run(frame) ? work.run(frame) : FLOW.on;
        if (!ranges.has(at) && !first.run(frame)) return FLOW.on;
        ranges.add(at);
        if (last.run(frame)) ranges.delete(at);
        return work.run(frame);
      },
    };
  }
  return {
    waits: true,
    async run(frame) {
      if (last === undefined) return (await first.run(frame)) ? work.run(frame) : FLOW.on;
      if (!ranges.has(at) && !(await first.run(frame))) return FLOW.on;
      ranges.add(at);
      if (await last.run(frame)) ranges.delete(at);
      return work.run(frame);
    },
  };
}

async function oneByOne(codes: readonly Code<Flow>[]): Promise<Flow> {
  for (const each of codes) {
    const flow = await left(() => each.run([]));
    if (flow !== FLOW.on) return flow;
  }
  return FLOW.on;
}

async function overRecords(codes: readonly Code<Flow>[], machine: Machine): Promise<Flow> {
  const waits = codes.some((each) => each.waits);
  for (;;) {
    const here = machine.take();
    const record = typeof here === "string" ? here : await machine.next();
    if (record === null) return FLOW.on;
    machine.setRecord(record);
    const flow = waits ? await oneByOne(codes) : atOnce(codes);
    if (flow === FLOW.exit) return flow;
    if (flow === FLOW.nextfile) machine.skipFile();
  }
}

function atOnce(codes: readonly Code<Flow>[]): Flow {
  try {
    for (const each of codes) {
      const flow = each.run([]) as Flow;
      if (flow !== FLOW.on) return flow;
    }
  } catch (error) {
    if (error instanceof Left) return error.flow;
    throw error;
  }
  return FLOW.on;
}

async function left(work: () => Flow | Promise<Flow>): Promise<Flow> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Left) return error.flow;
    throw error;
  }
}
