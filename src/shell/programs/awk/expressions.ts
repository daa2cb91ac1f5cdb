// Compiles awk expressions.

import { Usage } from "../program.ts";
import { all, both, type Code, constant, either, type Frame, from, waited } from "./code.ts";
import { compared } from "./format.ts";
import type { Machine } from "./machine.ts";
import type { Element, Expression, Target } from "./syntax.ts";
import { type Cell, expressionOf, Input, isTrue, numberOf, type Table, together, type Value } from "./values.ts";

/** A function as its callers see it. */
export interface Callable {
  readonly parameters: readonly string[];
  /** Set after compilation, because functions may call each other. */
  body: ((frame: Frame) => Value | Promise<Value>) | null;
}

export interface Scope {
  readonly machine: Machine;
  readonly functions: ReadonlyMap<string, Callable>;
  /** Some function is async, so any call may be. */
  readonly callsWait: boolean;
  readonly locals: readonly string[];
  /** Built-in functions. */
  readonly builtin: (expression: Extract<Expression, { is: "builtin" }>, scope: Scope) => Code<Value>;
}

const DEPTH_MAX = 1000;
const CALCULATIONS: { readonly [operator: string]: (a: number, b: number) => number } = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => divided(a, b, "division by zero") && a / b,
  "%": (a, b) => divided(a, b, "division by zero in %") && a % b,
  "^": (a, b) => a ** b,
};

function divided(a: number, b: number, what: string): number {
  if (b === 0) throw new Usage(`awk: ${what}`, 2);
  return a === 0 ? 0 : 1;
}

export function code(expression: Expression, scope: Scope): Code<Value> {
  const { machine } = scope;
  switch (expression.is) {
    case "number":
    case "string":
      return constant(expression.value);
    case "group":
      return code(expression.inner, scope);
    case "regex": {
      const { source } = expression;
      return { waits: false, run: () => Number(expressionOf(source).test(machine.whole())) };
    }
    case "variable":
    case "field":
    case "element":
      return reader(expression, scope);
    case "assign":
      return assignment(expression, scope);
    case "step":
      return step(expression, scope);
    case "choice":
      return either(truth(expression.condition, scope), code(expression.yes, scope), code(expression.no, scope));
    case "unary":
      return unary(expression.operator, code(expression.operand, scope));
    case "binary":
      return binary(expression, scope);
    case "match":
      return matching(expression, scope);
    case "within":
      return from(key(expression.subscripts, scope), (found, frame) =>
        Number(tableOf(cellOf(expression.name, scope)(frame), expression.name).has(found)),
      );
    case "call":
      return call(expression, scope);
    case "builtin":
      return scope.builtin(expression, scope);
    case "getline":
      return getline(expression, scope);
  }
}

export function truth(expression: Expression, scope: Scope): Code<boolean> {
  return from(code(expression, scope), isTrue);
}

export function text(expression: Expression, scope: Scope): Code<string> {
  return from(code(expression, scope), (value) => scope.machine.text(value));
}

/** The source of a regular expression literal. */
export function source(expression: Expression, scope: Scope): Code<string> {
  const bare = expression.is === "group" ? expression.inner : expression;
  return bare.is === "regex" ? constant(bare.source) : text(expression, scope);
}

export function cellOf(name: string, { machine, locals }: Scope): (frame: Frame) => Cell {
  const local = locals.indexOf(name);
  if (local !== -1) return (frame) => frame[local] as Cell;
  const cell = machine.cell(name);
  return () => cell;
}

export function tableOf(cell: Cell, name: string): Table {
  if (cell.value instanceof Map) return cell.value;
  if (cell.value !== undefined) throw new Usage(`awk: ${name} is no array`, 2);
  const made: Table = cell.origin === undefined ? new Map() : tableOf(cell.origin, name);
  cell.value = made;
  return made;
}

function plain(value: Value | Table, name: string): Value {
  if (value instanceof Map) throw new Usage(`awk: ${name} is an array`, 2);
  return value;
}

/** Joins subscripts into one key. */
export function key(subscripts: readonly Expression[], scope: Scope): Code<string> {
  const [only, more] = subscripts;
  if (only !== undefined && more === undefined) return text(only, scope);
  const parts = subscripts.map((each) => text(each, scope));
  return all(parts, (values) => values.join(scope.machine.setting("SUBSEP")));
}

function reader(target: Target, scope: Scope): Code<Value> {
  const { machine } = scope;
  if (target.is === "field")
    return from(code(target.number, scope), (number) => machine.field(Math.trunc(numberOf(number))));
  if (target.is === "element") {
    const cell = cellOf(target.name, scope);
    return from(key(target.subscripts, scope), (found, frame) => {
      const table = tableOf(cell(frame), target.name);
      // Reading an element creates it.
      if (!table.has(found)) table.set(found, undefined);
      return table.get(found);
    });
  }
  if (target.name === "NF") return { waits: false, run: () => machine.fieldCount() };
  const cell = cellOf(target.name, scope);
  return { waits: false, run: (frame) => plain(cell(frame).value, target.name) };
}

type Put = (value: Value, frame: Frame) => void;

/** The target of an assignment, evaluated once. */
export function place(target: Target, scope: Scope): Code<Put> {
  const { machine } = scope;
  if (target.is === "field") {
    return from(code(target.number, scope), (number) => {
      const at = Math.trunc(numberOf(number));
      return (value) => machine.setField(at, value);
    });
  }
  if (target.is === "element") return elementPlace(target, scope);
  if (target.name === "NF") return constant((value) => machine.setFieldCount(numberOf(value)));
  const cell = cellOf(target.name, scope);
  return constant((value, frame) => {
    const found = cell(frame);
    plain(found.value, target.name);
    found.value = value;
  });
}

function elementPlace(target: Element, scope: Scope): Code<Put> {
  const cell = cellOf(target.name, scope);
  return from(key(target.subscripts, scope), (found, frame) => {
    const table = tableOf(cell(frame), target.name);
    return (value) => table.set(found, value);
  });
}

function assignment({ operator, target, value }: Extract<Expression, { is: "assign" }>, scope: Scope): Code<Value> {
  const made = code(value, scope);
  const calculate = CALCULATIONS[operator.slice(0, -1)];
  const result =
    calculate === undefined
      ? made
      : both(reader(target, scope), made, (before, right) => calculate(numberOf(before), numberOf(right)));
  return both(result, place(target, scope), (given, put, frame) => {
    put(given, frame);
    return given;
  });
}

function step({ by, before, target }: Extract<Expression, { is: "step" }>, scope: Scope): Code<Value> {
  return both(reader(target, scope), place(target, scope), (value, put, frame) => {
    const number = numberOf(value);
    put(number + by, frame);
    return before ? number + by : number;
  });
}

function unary(operator: string, operand: Code<Value>): Code<Value> {
  if (operator === "!") return from(operand, (value) => Number(!isTrue(value)));
  return from(operand, (value) => (operator === "-" ? -numberOf(value) : numberOf(value)));
}

function binary({ operator, left, right }: Extract<Expression, { is: "binary" }>, scope: Scope): Code<Value> {
  const { machine } = scope;
  if (operator === "&&" || operator === "||") {
    const last = from(truth(right, scope), Number);
    const settled = constant<Value>(operator === "||" ? 1 : 0);
    const [yes, no] = operator === "&&" ? [last, settled] : [settled, last];
    return either<Value>(truth(left, scope), yes, no);
  }
  const [a, b] = [code(left, scope), code(right, scope)];
  if (operator === " ") return both(a, b, (x, y) => together(machine.text(x), machine.text(y)));
  const calculate = CALCULATIONS[operator];
  if (calculate !== undefined) return both(a, b, (x, y) => calculate(numberOf(x), numberOf(y)));
  const holds = COMPARISONS[operator];
  if (holds === undefined) throw new Usage(`awk: there is no operator ${operator}`, 2);
  return both(a, b, (x, y) => Number(holds(compared(x, y, machine.setting("CONVFMT")))));
}

const COMPARISONS: { readonly [operator: string]: (order: number) => boolean } = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function matching({ isNot, text: whole, pattern }: Extract<Expression, { is: "match" }>, scope: Scope): Code<Value> {
  return both(text(whole, scope), source(pattern, scope), (value, expression) =>
    Number(expressionOf(expression).test(value) !== isNot),
  );
}

function call({ name, args, line }: Extract<Expression, { is: "call" }>, scope: Scope): Code<Value> {
  const found = scope.functions.get(name);
  if (found === undefined) throw new Usage(`awk: line ${line}: function ${name} never defined`, 2);
  if (args.length > found.parameters.length)
    throw new Usage(`awk: line ${line}: function ${name} has only ${found.parameters.length} parameters`, 2);
  const handed = all(
    args.map((each) => argument(each, scope)),
    (cells) => cells,
  );
  const frameOf = (cells: readonly Cell[]): Frame => found.parameters.map((_, at) => cells[at] ?? { value: undefined });
  if (scope.callsWait || handed.waits)
    return waited(handed, async (cells) => deeper(scope, () => found.body?.(frameOf(cells))));
  return from(handed, (cells) => deeper(scope, () => found.body?.(frameOf(cells))) as Value);
}

function deeper<T>({ machine }: Scope, work: () => T): T {
  if (machine.depth >= DEPTH_MAX) throw new Usage("awk: functions call each other too deeply", 2);
  machine.depth++;
  let isWaited = false;
  try {
    const result = work();
    if (!(result instanceof Promise)) return result;
    isWaited = true;
    return result.finally(() => machine.depth--) as T;
  } finally {
    if (!isWaited) machine.depth--;
  }
}

/** A bare name may be an array or become one. */
function argument(expression: Expression, scope: Scope): Code<Cell> {
  if (expression.is !== "variable" || expression.name === "NF")
    return from(code(expression, scope), (value) => ({ value }));
  const cell = cellOf(expression.name, scope);
  return {
    waits: false,
    run: (frame) => {
      const origin = cell(frame);
      return origin.value === undefined ? { value: undefined, origin } : { value: origin.value };
    },
  };
}

function getline(
  { from: kind, source: name, target }: Extract<Expression, { is: "getline" }>,
  scope: Scope,
): Code<Value> {
  const { machine } = scope;
  const put = target === null ? constant<Put>((value) => machine.setRecord(machine.text(value))) : place(target, scope);
  const named = name === null ? constant("") : text(name, scope);
  return waited(
    both(named, put, (file, set) => ({ file, set })),
    async ({ file, set }, frame) => {
      const record = kind === "input" ? await machine.next() : await machine.from(kind, file);
      if (record === undefined) return -1;
      if (record === null) return 0;
      if (kind === "command") machine.cell("NR").value = numberOf(machine.cell("NR").value as Value) + 1;
      set(new Input(record), frame);
      return 1;
    },
  );
}
