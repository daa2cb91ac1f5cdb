// Parses awk expressions, lowest precedence first. Pure.

import { Usage } from "../program.ts";
import type { Expression, Target } from "./syntax.ts";
import type { Token } from "./tokens.ts";

interface Where {
  /** After `print` a `>` is a redirection. */
  readonly noGreater?: boolean;
}

const END: Token = { kind: "end", text: "end of file", line: 0 };
const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^=", "**="]);
const COMPARISONS = new Set(["<", "<=", "==", "!=", ">", ">="]);
const DEPTH_MAX = 1000;

export class ExpressionParser {
  protected place = 0;
  private depth = 0;

  constructor(private readonly all: readonly Token[]) {}

  protected get token(): Token {
    return this.all[this.place] ?? END;
  }

  protected peek(ahead: number): Token {
    return this.all[this.place + ahead] ?? END;
  }

  protected next(): Token {
    const { token } = this;
    this.place++;
    return token;
  }

  protected is(operator: string): boolean {
    return this.token.kind === "operator" && this.token.text === operator;
  }

  protected isWord(word: string): boolean {
    return this.token.kind === "keyword" && this.token.text === word;
  }

  protected take(operator: string): boolean {
    if (!this.is(operator)) return false;
    this.place++;
    return true;
  }

  protected expect(operator: string): void {
    if (!this.take(operator)) throw this.wrong(this.token.text);
  }

  protected wrong(text: string): Usage {
    return new Usage(`awk: line ${this.token.line}: syntax error at or near ${text.replace("\n", "end of line")}`, 2);
  }

  protected skipNewlines(): void {
    while (this.token.kind === "newline") this.place++;
  }

  protected skipEnds(): void {
    while (this.token.kind === "newline" || this.is(";")) this.place++;
  }

  protected listUntil(closer: string): readonly Expression[] {
    this.skipNewlines();
    const values = this.is(closer) ? [] : this.list({});
    this.skipNewlines();
    this.expect(closer);
    return values;
  }

  protected list(where: Where): readonly Expression[] {
    const values = [this.expression(where)];
    while (this.take(",")) {
      this.skipNewlines();
      values.push(this.expression(where));
    }
    return values;
  }

  protected expression(where: Where = {}): Expression {
    if (++this.depth > DEPTH_MAX) throw new Usage(`awk: line ${this.token.line}: nested too deeply`, 2);
    const condition = this.either(where);
    const found = this.is("?") ? this.choice(condition, where) : this.assignment(condition, where);
    this.depth--;
    return found;
  }

  private choice(condition: Expression, where: Where): Expression {
    this.next();
    this.skipNewlines();
    const yes = this.expression(where);
    this.skipNewlines();
    this.expect(":");
    this.skipNewlines();
    return { is: "choice", condition, yes, no: this.expression(where) };
  }

  private assignment(left: Expression, where: Where): Expression {
    if (this.token.kind !== "operator" || !ASSIGNMENTS.has(this.token.text)) return left;
    const { target, wrap } = lastTarget(left);
    if (target === null) throw this.wrong(this.token.text);
    const operator = this.next().text.replace("**", "^");
    this.skipNewlines();
    return wrap({ is: "assign", operator, target, value: this.expression(where) });
  }

  private either(where: Where): Expression {
    let left = this.both(where);
    while (this.take("||")) {
      this.skipNewlines();
      left = { is: "binary", operator: "||", left, right: this.both(where) };
    }
    return left;
  }

  private both(where: Where): Expression {
    let left = this.within(where);
    while (this.take("&&")) {
      this.skipNewlines();
      left = { is: "binary", operator: "&&", left, right: this.within(where) };
    }
    return left;
  }

  private within(where: Where): Expression {
    let left = this.matched(where);
    while (this.isWord("in")) {
      this.next();
      left = { is: "within", subscripts: [left], name: this.next().text };
    }
    return left;
  }

  private matched(where: Where): Expression {
    let text = this.compared(where);
    while (this.is("~") || this.is("!~")) {
      const isNot = this.next().text === "!~";
      text = { is: "match", isNot, text, pattern: this.compared(where) };
    }
    return text;
  }

  private compared(where: Where): Expression {
    let left = this.joined();
    for (;;) {
      const { kind, text: operator } = this.token;
      if (kind !== "operator") return left;
      if ((operator === "|" || operator === "|&") && this.peek(1).text === "getline") {
        this.place += 2;
        left = { is: "getline", from: "command", source: left, target: this.targetHere() };
      } else if (COMPARISONS.has(operator) && !(operator === ">" && where.noGreater === true)) {
        this.next();
        left = { is: "binary", operator, left, right: this.joined() };
      } else return left;
    }
  }

  /** Concatenation. */
  protected joined(): Expression {
    let left = this.sum();
    while (this.beginsValue()) left = { is: "binary", operator: " ", left, right: this.sum() };
    return left;
  }

  private beginsValue(): boolean {
    const { kind, text } = this.token;
    if (["number", "string", "regex", "name", "call", "builtin"].includes(kind)) return true;
    if (kind !== "operator") return false;
    return ["$", "(", "++", "--"].includes(text);
  }

  private sum(): Expression {
    let left = this.product();
    while (this.is("+") || this.is("-")) {
      const operator = this.next().text;
      left = { is: "binary", operator, left, right: this.product() };
    }
    return left;
  }

  private product(): Expression {
    let left = this.signed();
    while (this.is("*") || this.is("/") || this.is("%")) {
      const operator = this.next().text;
      left = { is: "binary", operator, left, right: this.signed() };
    }
    return left;
  }

  private signed(): Expression {
    if (!this.is("!") && !this.is("-") && !this.is("+")) return this.power();
    const operator = this.next().text;
    return { is: "unary", operator, operand: this.signed() };
  }

  private power(): Expression {
    const left = this.stepped();
    if (!this.take("^") && !this.take("**")) return left;
    const right = this.is("-") || this.is("+") || this.is("!") ? this.signed() : this.power();
    return { is: "binary", operator: "^", left, right };
  }

  private stepped(): Expression {
    if (this.is("++") || this.is("--")) {
      const by = this.next().text === "++" ? 1 : -1;
      const target = targetOf(this.value());
      if (target === null) throw this.wrong(this.token.text);
      return { is: "step", by, before: true, target };
    }
    const value = this.value();
    const target = targetOf(value);
    if (target === null || !(this.is("++") || this.is("--"))) return value;
    return { is: "step", by: this.next().text === "++" ? 1 : -1, before: false, target };
  }

  private value(): Expression {
    const { kind, text, line } = this.next();
    if (kind === "number") return { is: "number", value: Number(text) };
    if (kind === "string") return { is: "string", value: text };
    if (kind === "regex") return { is: "regex", source: text };
    if (kind === "builtin") return { is: "builtin", name: text, args: this.take("(") ? this.listUntil(")") : [], line };
    if (kind === "call") {
      this.expect("(");
      return { is: "call", name: text, args: this.listUntil(")"), line };
    }
    if (kind === "name") return this.take("[") ? this.element(text) : { is: "variable", name: text };
    if (kind === "keyword" && text === "getline") return this.getline();
    if (text === "$" && kind === "operator") return { is: "field", number: this.fieldNumber() };
    if (text === "(" && kind === "operator") return this.grouped();
    this.place--;
    throw this.wrong(text);
  }

  private element(name: string): Expression {
    return { is: "element", name, subscripts: this.listUntil("]") };
  }

  private fieldNumber(): Expression {
    if (this.is("-")) return this.signed();
    if (!this.is("++") && !this.is("--")) return this.value();
    return this.stepped();
  }

  private grouped(): Expression {
    const values = this.listUntil(")");
    if (values.length > 1) {
      if (!this.isWord("in")) throw this.wrong(this.token.text);
      this.next();
      return { is: "within", subscripts: values, name: this.next().text };
    }
    const [inner] = values;
    if (inner === undefined) throw this.wrong(")");
    return { is: "group", inner };
  }

  private getline(): Expression {
    const target = this.targetHere();
    if (!this.take("<")) return { is: "getline", from: "input", source: null, target };
    return { is: "getline", from: "file", source: this.stepped(), target };
  }

  private targetHere(): Target | null {
    const isOne = this.token.kind === "name" || this.is("$");
    return isOne ? targetOf(this.value()) : null;
  }
}

function targetOf(value: Expression): Target | null {
  return value.is === "variable" || value.is === "field" || value.is === "element" ? value : null;
}

/** In `a && b = 1` and `!x = y`, the last operand is the target of the assignment. */
function lastTarget(value: Expression): { target: Target | null; wrap: (made: Expression) => Expression } {
  const target = targetOf(value);
  if (target !== null) return { target, wrap: (made) => made };
  if (value.is === "binary" || value.is === "match") {
    const inner = lastTarget(value.is === "binary" ? value.right : value.pattern);
    const key = value.is === "binary" ? "right" : "pattern";
    return { target: inner.target, wrap: (made) => ({ ...value, [key]: inner.wrap(made) }) as Expression };
  }
  if (value.is !== "unary") return { target: null, wrap: (made) => made };
  const inner = lastTarget(value.operand);
  return { target: inner.target, wrap: (made) => ({ ...value, operand: inner.wrap(made) }) };
}
