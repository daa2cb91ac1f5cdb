// The condition of a watch, such as `data.status == "error" && data.usage.costUsd > 0.5`: comparisons of fields and values, joined by &&,
// || and !. Pure.

import { SysError } from "../../abi/errno.ts";
import type { WatchedEvent } from "../../abi/watch.ts";

/** Whether an event meets the condition. */
export type Condition = (event: object) => boolean;

type Value = (event: object) => unknown;

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*")|('[^']*')|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w]*(?:\.\w+)*)|(==|!=|>=|<=|&&|\|\||[<>!()]))/y;
const DEPTH_MAX = 50;

export function conditionOf(text: string): Condition {
  const value = new Parser(text).whole();
  return (event) => isTrue(value(event));
}

interface Token {
  readonly kind: "value" | "path" | "operator";
  readonly text: string;
  readonly value?: unknown;
}

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {
    this.tokens = this.split();
  }

  whole(): Value {
    const value = this.any();
    const rest = this.tokens[this.at];
    if (rest !== undefined) throw this.fault(`unexpected ${rest.text}`);
    return value;
  }

  private split(): readonly Token[] {
    const tokens: Token[] = [];
    TOKEN.lastIndex = 0;
    const end = this.text.trimEnd().length;
    while (TOKEN.lastIndex < end) {
      const from = TOKEN.lastIndex;
      const found = TOKEN.exec(this.text);
      if (found === null)
        throw this.fault(`not understood: ${this.text.slice(from).trim().slice(0, 20).toWellFormed()}`);
      tokens.push(this.token(found));
    }
    return tokens;
  }

  private token([whole, double, single, number, path, operator]: RegExpExecArray): Token {
    const text = whole.trim();
    if (double !== undefined) return { kind: "value", text, value: this.unquoted(double) };
    if (single !== undefined) return { kind: "value", text, value: single.slice(1, -1) };
    if (number !== undefined) return { kind: "value", text, value: Number(number) };
    if (operator !== undefined) return { kind: "operator", text };
    const word = WORDS.get(path ?? "");
    return word === undefined ? { kind: "path", text } : { kind: "value", text, value: word.value };
  }

  private unquoted(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.fault(`not a text: ${text.slice(0, 20)}`);
    }
  }

  private any(): Value {
    let left = this.all();
    while (this.takes("||")) {
      const [one, other] = [left, this.all()];
      left = (event) => isTrue(one(event)) || isTrue(other(event));
    }
    return left;
  }

  private all(): Value {
    let left = this.not();
    while (this.takes("&&")) {
      const [one, other] = [left, this.not()];
      left = (event) => isTrue(one(event)) && isTrue(other(event));
    }
    return left;
  }

  private not(): Value {
    if (++this.depth > DEPTH_MAX) throw this.fault("nested too deeply");
    try {
      if (this.takes("!")) {
        const value = this.not();
        return (event) => !isTrue(value(event));
      }
      return this.compared();
    } finally {
      this.depth--;
    }
  }

  private compared(): Value {
    const left = this.operand();
    const compare = COMPARE[this.tokens[this.at]?.text ?? ""];
    if (compare === undefined || this.tokens[this.at]?.kind !== "operator") return left;
    this.at++;
    const right = this.operand();
    return (event) => compare(left(event), right(event));
  }

  private operand(): Value {
    const token = this.tokens[this.at++];
    if (token === undefined) throw this.fault("it ends too early");
    if (token.kind === "value") return () => token.value;
    if (token.kind === "path") return pathOf(this.field(token.text));
    if (token.text !== "(") throw this.fault(`unexpected ${token.text}`);
    const inner = this.any();
    if (!this.takes(")")) throw this.fault("a ) is missing");
    return inner;
  }

  /** A condition on a field that no event has would never be met. */
  private field(path: string): readonly string[] {
    const names = path.split(".");
    if (EVENT_FIELDS.includes(names[0] ?? "")) return names;
    throw this.fault(`no such field: ${path.slice(0, 40)}`, `fields: ${EVENT_FIELDS.join(", ")}`);
  }

  private takes(operator: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== "operator" || token.text !== operator) return false;
    this.at++;
    return true;
  }

  private fault(why: string, ...more: readonly string[]): SysError {
    return new SysError("EINVAL", `--where: ${why}`, [`for example: --where 'data.status == "error"'`, ...more]);
  }
}

const EVENT_FIELDS: readonly string[] = [
  "id",
  "watch",
  "name",
  "pid",
  "run",
  "at",
  "data",
  "state",
] satisfies readonly (keyof WatchedEvent)[];

const WORDS: ReadonlyMap<string, { readonly value: unknown }> = new Map([
  ["true", { value: true }],
  ["false", { value: false }],
  ["null", { value: null }],
]);

const COMPARE: { readonly [operator: string]: ((left: unknown, right: unknown) => boolean) | undefined } = {
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => isBelow(left, right),
  ">": (left, right) => isBelow(right, left),
  "<=": (left, right) => isBelow(left, right) || (left === right && isOrdered(left)),
  ">=": (left, right) => isBelow(right, left) || (left === right && isOrdered(left)),
};

function isBelow(left: unknown, right: unknown): boolean {
  if (typeof left === "number" && typeof right === "number") return left < right;
  return typeof left === "string" && typeof right === "string" && left < right;
}

function isOrdered(value: unknown): boolean {
  return typeof value === "number" || typeof value === "string";
}

/** A missing field is null. */
function pathOf(names: readonly string[]): Value {
  return (event) => {
    let value: unknown = event;
    for (const name of names) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
      value = (value as { readonly [key: string]: unknown })[name];
    }
    return value ?? null;
  };
}

function isTrue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false && value !== 0 && value !== "";
}
