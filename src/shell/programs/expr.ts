// `expr`: arithmetic, comparison and substrings; each argument is a token. The interpreter's takes patterns for extended ones.

import { expression } from "./expression.ts";
import { type Call, Usage } from "./program.ts";

export async function expr(call: Call): Promise<number> {
  const tokens = call.args[0] === "--" ? call.args.slice(1) : call.args;
  if (tokens.length === 0) throw new Usage("expr: missing operand\nTry 'expr --help' for more information.", 2);
  const reader = new Reader(tokens);
  const value = reader.either();
  if (reader.rest !== undefined) throw new Usage(`expr: syntax error: unexpected argument ‘${reader.rest}’`, 2);
  call.out(`${value}\n`);
  return value === "" || value === "0" ? 1 : 0;
}

const isZero = (text: string) => text === "" || text === "0";

class Reader {
  private at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  get rest(): string | undefined {
    return this.tokens[this.at];
  }

  either(): string {
    let left = this.both();
    while (this.take("|")) {
      const right = this.both();
      left = isZero(left) ? (isZero(right) ? "0" : right) : left;
    }
    return left;
  }

  private both(): string {
    let left = this.compared();
    while (this.take("&")) {
      const right = this.compared();
      left = isZero(left) || isZero(right) ? "0" : left;
    }
    return left;
  }

  private compared(): string {
    let left = this.sum();
    for (
      let sign = this.take("<", "<=", "=", "==", "!=", ">=", ">");
      sign;
      sign = this.take("<", "<=", "=", "==", "!=", ">=", ">")
    ) {
      const right = this.sum();
      const both = /^-?\d+$/.test(left) && /^-?\d+$/.test(right);
      const order = both ? Number(BigInt(left) - BigInt(right)) : left < right ? -1 : left > right ? 1 : 0;
      const is = {
        "<": order < 0,
        "<=": order <= 0,
        "=": order === 0,
        "==": order === 0,
        "!=": order !== 0,
        ">=": order >= 0,
        ">": order > 0,
      };
      left = is[sign as keyof typeof is] ? "1" : "0";
    }
    return left;
  }

  private sum(): string {
    let left = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      const right = number(this.product());
      left = String(sign === "+" ? number(left) + right : number(left) - right);
    }
    return left;
  }

  private product(): string {
    let left = this.matched();
    for (let sign = this.take("*", "/", "%"); sign; sign = this.take("*", "/", "%")) {
      const right = number(this.matched());
      if (sign !== "*" && right === 0n) throw new Usage("expr: division by zero", 2);
      left = String(sign === "*" ? number(left) * right : sign === "/" ? number(left) / right : number(left) % right);
    }
    return left;
  }

  private matched(): string {
    let left = this.value();
    while (this.take(":")) left = match(left, this.value());
    return left;
  }

  private value(): string {
    const token = this.tokens[this.at++];
    if (token === undefined) throw new Usage(`expr: syntax error: missing argument after ‘${this.tokens.at(-1)}’`, 2);
    switch (token) {
      case "(": {
        const inside = this.either();
        if (!this.take(")")) throw new Usage("expr: syntax error: expecting ')'", 2);
        return inside;
      }
      case "length":
        return String([...this.value()].length);
      case "match":
        return match(this.value(), this.value());
      case "index": {
        const [text, letters] = [this.value(), this.value()];
        return String([...text].findIndex((letter) => letters.includes(letter)) + 1);
      }
      case "substr": {
        const [text, from, count] = [[...this.value()], Number(this.value()), Number(this.value())];
        return from < 1 || !(count > 0) ? "" : text.slice(from - 1, from - 1 + count).join("");
      }
      default:
        return token;
    }
  }

  private take(...signs: readonly string[]): string | null {
    const token = this.tokens[this.at];
    if (token === undefined || !signs.includes(token)) return null;
    this.at++;
    return token;
  }
}

function number(text: string): bigint {
  if (!/^-?\d+$/.test(text)) throw new Usage("expr: non-integer argument", 2);
  return BigInt(text);
}

function match(text: string, pattern: string): string {
  const found = expression("expr", `^${pattern.replace(/^\^/, "")}`, { extended: false }).exec(text);
  const groups = /\\\(/.test(pattern);
  if (groups) return found?.[1] ?? "";
  return String(found === null ? 0 : [...found[0]].length);
}
