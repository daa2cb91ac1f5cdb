// Compiles awk statements. Each returns how the enclosing statement continues.

import { all, type Code, constant, either, type Frame, from } from "./code.ts";
import { cellOf, code, key, place, type Scope, tableOf, text, truth } from "./expressions.ts";
import { formatted, textOf } from "./format.ts";
import type { Statement } from "./syntax.ts";
import { numberOf, type Value } from "./values.ts";

export const FLOW = { on: 0, break: 1, continue: 2, next: 3, nextfile: 4, exit: 5, return: 6 } as const;
export type Flow = (typeof FLOW)[keyof typeof FLOW];

type Loop = Extract<Statement, { is: "loop" }>;

export function statement(what: Statement, scope: Scope): Code<Flow> {
  const { machine } = scope;
  switch (what.is) {
    case "block":
      return sequence(what.body.map((each) => statement(each, scope)));
    case "expression":
      return from(code(what.value, scope), () => FLOW.on);
    case "print":
      return print(what, scope);
    case "if": {
      const no = what.no === null ? constant<Flow>(FLOW.on) : statement(what.no, scope);
      return either(truth(what.condition, scope), statement(what.yes, scope), no);
    }
    case "loop":
      return loop(what, scope);
    case "each":
      return each(what, scope);
    case "delete": {
      const cell = cellOf(what.name, scope);
      if (what.subscripts === null)
        return {
          waits: false,
          run(frame) {
            tableOf(cell(frame), what.name).clear();
            return FLOW.on;
          },
        };
      return from(key(what.subscripts, scope), (found, frame) => {
        tableOf(cell(frame), what.name).delete(found);
        return FLOW.on;
      });
    }
    case "exit":
      if (what.value === null) return constant(FLOW.exit);
      return from(code(what.value, scope), (value) => {
        machine.status = Math.trunc(numberOf(value)) & 0xff;
        return FLOW.exit;
      });
    case "return":
      return from(what.value === null ? constant<Value>(undefined) : code(what.value, scope), (value) => {
        machine.returned = value;
        return FLOW.return;
      });
    default:
      return constant(FLOW[what.is]);
  }
}

function sequence(codes: readonly Code<Flow>[]): Code<Flow> {
  if (codes.some(({ waits }) => waits)) {
    return {
      waits: true,
      run: async (frame) => {
        for (const each of codes) {
          const flow = await each.run(frame);
          if (flow !== FLOW.on) return flow;
        }
        return FLOW.on;
      },
    };
  }
  return {
    waits: false,
    run: (frame) => {
      for (const each of codes) {
        const flow = each.run(frame) as Flow;
        if (flow !== FLOW.on) return flow;
      }
      return FLOW.on;
    },
  };
}

function print({ format, values, into }: Extract<Statement, { is: "print" }>, scope: Scope): Code<Flow> {
  const { machine } = scope;
  const codes = values.map((each) => code(each, scope));
  const made = all(codes, (found) => {
    if (format) return formatted(machine.text(found[0]), found.slice(1), machine.setting("CONVFMT"));
    if (found.length === 0) return machine.whole() + machine.setting("ORS");
    const shown = found.map((value) => textOf(value, machine.setting("OFMT")));
    return shown.join(machine.setting("OFS")) + machine.setting("ORS");
  });
  if (into === null) {
    return from(made, (line) => {
      machine.outputs.print(line);
      return FLOW.on;
    });
  }
  return all([made, text(into.name, scope)], ([line = "", name = ""]) => {
    machine.outputs.printInto(into.operator, name, line);
    return FLOW.on;
  });
}

/** What the result of the body means for the loop; null continues it. */
function after(flow: Flow): Flow | null {
  if (flow === FLOW.on || flow === FLOW.continue) return null;
  return flow === FLOW.break ? FLOW.on : flow;
}

function loop({ first, condition, step, body, bodyFirst }: Loop, scope: Scope): Code<Flow> {
  const begin = first === null ? constant<Flow>(FLOW.on) : statement(first, scope);
  const goes = condition === null ? constant(true) : truth(condition, scope);
  const round = statement(body, scope);
  const stepped = step === null ? constant<Flow>(FLOW.on) : statement(step, scope);
  if (![begin, goes, round, stepped].some(({ waits }) => waits)) {
    return {
      waits: false,
      run(frame) {
        begin.run(frame);
        for (let isFirst = bodyFirst; isFirst || goes.run(frame); isFirst = false) {
          const end = after(round.run(frame) as Flow);
          if (end !== null) return end;
          stepped.run(frame);
        }
        return FLOW.on;
      },
    };
  }
  return {
    waits: true,
    async run(frame) {
      await begin.run(frame);
      for (let isFirst = bodyFirst; isFirst || (await goes.run(frame)); isFirst = false) {
        const end = after(await round.run(frame));
        if (end !== null) return end;
        await stepped.run(frame);
      }
      return FLOW.on;
    },
  };
}

function each({ variable, name, body }: Extract<Statement, { is: "each" }>, scope: Scope): Code<Flow> {
  const cell = cellOf(name, scope);
  const round = statement(body, scope);
  const put = place(variable, scope);
  // The keys at the start of the loop.
  const keys = (frame: Frame) => [...tableOf(cell(frame), name).keys()];
  const isThere = (frame: Frame, found: string) => tableOf(cell(frame), name).has(found);
  const set = (frame: Frame, found: string) => (put.run(frame) as (value: Value, at: Frame) => void)(found, frame);
  if (!round.waits) {
    return {
      waits: false,
      run(frame) {
        for (const found of keys(frame)) {
          if (!isThere(frame, found)) continue;
          set(frame, found);
          const end = after(round.run(frame) as Flow);
          if (end !== null) return end;
        }
        return FLOW.on;
      },
    };
  }
  return {
    waits: true,
    async run(frame) {
      for (const found of keys(frame)) {
        if (!isThere(frame, found)) continue;
        set(frame, found);
        const end = after(await round.run(frame));
        if (end !== null) return end;
      }
      return FLOW.on;
    },
  };
}
