// Parses an awk program into rules, functions and statements. Pure. A syntax error names its line.

import { Usage } from "../program.ts";
import { ExpressionParser } from "./parse-expression.ts";
import type { Expression, FunctionText, ProgramText, Rule, Statement } from "./syntax.ts";
import { tokens } from "./tokens.ts";

export function parsed(text: string): ProgramText {
  return new Parser(tokens(text)).program();
}

class Parser extends ExpressionParser {
  program(): ProgramText {
    const rules: Rule[] = [];
    const functions: FunctionText[] = [];
    this.skipEnds();
    while (this.token.kind !== "end") {
      if (this.isWord("function") || this.isWord("func")) functions.push(this.functionText());
      else rules.push(this.rule());
      this.skipEnds();
    }
    return { rules, functions };
  }

  private functionText(): FunctionText {
    this.next();
    const name = this.next().text;
    const parameters: string[] = [];
    this.expect("(");
    while (!this.is(")")) {
      parameters.push(this.next().text);
      this.skipNewlines();
      if (!this.is(")")) this.expect(",");
      this.skipNewlines();
    }
    this.expect(")");
    this.skipNewlines();
    return { name, parameters, body: this.block() };
  }

  private rule(): Rule {
    if (this.isWord("BEGIN") || this.isWord("END")) {
      const when = this.next().text === "BEGIN" ? "begin" : "end";
      this.skipNewlines();
      return { when, conditions: [], body: this.block() };
    }
    const conditions: Expression[] = [];
    if (!this.is("{")) {
      conditions.push(this.expression());
      if (this.take(",")) {
        this.skipNewlines();
        conditions.push(this.expression());
      }
    }
    return { when: "record", conditions, body: this.is("{") ? this.block() : null };
  }

  private block(): Statement {
    this.expect("{");
    const body: Statement[] = [];
    this.skipEnds();
    while (!this.is("}")) {
      body.push(this.statement());
      this.skipEnds();
    }
    this.expect("}");
    return { is: "block", body };
  }

  /** The body of a loop or `if`; may be empty. */
  private body(): Statement {
    this.skipNewlines();
    if (this.take(";")) return { is: "block", body: [] };
    return this.statement();
  }

  private statement(): Statement {
    if (this.is("{")) return this.block();
    const { kind, text } = this.token;
    const compound = kind === "keyword" ? this.compound(text) : null;
    if (compound !== null) return compound;
    const simple = this.simple();
    this.endOfStatement();
    return simple;
  }

  private compound(word: string): Statement | null {
    if (word === "if") return this.ifElse();
    if (word === "while") {
      this.next();
      const condition = this.condition();
      return { is: "loop", first: null, condition, step: null, body: this.body(), bodyFirst: false };
    }
    if (word === "do") {
      this.next();
      const body = this.body();
      this.skipEnds();
      this.expectWord("while");
      const condition = this.condition();
      this.endOfStatement();
      return { is: "loop", first: null, condition, step: null, body, bodyFirst: true };
    }
    return word === "for" ? this.loop() : null;
  }

  private condition(): Expression {
    this.expect("(");
    const condition = this.expression();
    this.expect(")");
    return condition;
  }

  private ifElse(): Statement {
    this.next();
    const condition = this.condition();
    const yes = this.body();
    const before = this.place;
    this.skipEnds();
    if (this.isWord("else")) {
      this.next();
      return { is: "if", condition, yes, no: this.body() };
    }
    this.place = before;
    return { is: "if", condition, yes, no: null };
  }

  private loop(): Statement {
    this.next();
    this.expect("(");
    const [variable, word, name, end] = [this.peek(0), this.peek(1), this.peek(2), this.peek(3)];
    if (variable.kind === "name" && word.text === "in" && name.kind === "name" && end.text === ")") {
      for (let count = 0; count < 4; count++) this.next();
      return { is: "each", variable: { is: "variable", name: variable.text }, name: name.text, body: this.body() };
    }
    const first = this.is(";") ? null : this.simple();
    this.expect(";");
    this.skipNewlines();
    const condition = this.is(";") ? null : this.expression();
    this.expect(";");
    this.skipNewlines();
    const step = this.is(")") ? null : this.simple();
    this.expect(")");
    return { is: "loop", first, condition, step, body: this.body(), bodyFirst: false };
  }

  private simple(): Statement {
    const { kind, text } = this.token;
    if (kind !== "keyword" || text === "getline") return { is: "expression", value: this.expression() };
    this.next();
    switch (text) {
      case "break":
      case "continue":
      case "next":
      case "nextfile":
        return { is: text };
      case "exit":
      case "return":
        return { is: text, value: this.endsStatement() ? null : this.expression() };
      case "delete":
        return this.deletion();
      case "print":
      case "printf":
        return this.print(text === "printf");
      default:
        throw this.wrong(text);
    }
  }

  private deletion(): Statement {
    const name = this.next().text;
    return { is: "delete", name, subscripts: this.take("[") ? this.listUntil("]") : null };
  }

  private print(format: boolean): Statement {
    const values = this.endsStatement() || this.isRedirection() ? [] : this.printed();
    const { text } = this.token;
    if (!this.isRedirection()) return { is: "print", format, values, into: null };
    this.next();
    return { is: "print", format, values, into: { operator: text as ">" | ">>" | "|", name: this.joined() } };
  }

  /** `print (a, b) > "file"` prints two values, `print (a)(b)` one. */
  private printed(): readonly Expression[] {
    const before = this.place;
    if (this.take("(")) {
      const values = this.listUntil(")");
      if (this.endsStatement() || this.isRedirection()) return values;
      this.place = before;
    }
    return this.list({ noGreater: true });
  }

  private isRedirection(): boolean {
    return this.is(">") || this.is(">>") || (this.is("|") && this.peek(1).text !== "getline");
  }

  private endsStatement(): boolean {
    return this.token.kind === "newline" || this.token.kind === "end" || this.is(";") || this.is("}");
  }

  private endOfStatement(): void {
    if (this.is("}") || this.token.kind === "end") return;
    if (this.token.kind !== "newline" && !this.is(";")) throw this.wrong(this.token.text);
    this.next();
  }

  private expectWord(word: string): void {
    if (!this.isWord(word)) throw new Usage(`awk: line ${this.token.line}: ${word} expected`, 2);
    this.next();
  }
}
