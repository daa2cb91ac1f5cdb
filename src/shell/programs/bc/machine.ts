// Runs a bc program while parsing it. Values of expressions are printed.

import type { Call } from "../program.ts";
import { MATH } from "./math.ts";
import { compared, decimal, decimalFrom, HOLDS, negative, ONE, plus, shown, truth, ZERO } from "./number.ts";
import { BcState, Fault, Leave, leaving, type Value, type Work } from "./state.ts";
import { escaped, operatorAfter, tokensOf } from "./tokens.ts";

export class BcMachine {
  private readonly state: BcState;
  private tokens: string[] = [];
  private at = 0;

  constructor(
    private readonly call: Call,
    private readonly hasMath: boolean,
  ) {
    this.state = new BcState(call, hasMath);
  }

  /** True after `quit`. */
  run(source: string): boolean {
    this.tokens = tokensOf(source, (what) => this.call.err(what));
    this.at = 0;
    while (this.at < this.tokens.length) {
      if (this.skip("\n") || this.skip(";")) continue;
      try {
        this.statement()();
      } catch (error) {
        if (error instanceof Leave) {
          if (error.kind === "quit") return true;
          continue;
        }
        if (!(error instanceof Fault)) throw error;
        this.call.err(`${error.message}\n`);
        while (this.at < this.tokens.length && this.tokens[this.at] !== "\n") this.at++;
      }
    }
    return false;
  }

  private peek(): string {
    return this.tokens[this.at] ?? "";
  }

  private skip(token: string): boolean {
    if (this.peek() !== token) return false;
    this.at++;
    return true;
  }

  private mistake(): Fault {
    const line = 1 + this.tokens.slice(0, this.at).filter((each) => each === "\n").length;
    return new Fault(`(standard_in) ${line}: syntax error`);
  }

  private need(token: string): void {
    if (!this.skip(token)) throw this.mistake();
  }

  private lines(): void {
    while (this.peek() === "\n") this.at++;
  }

  private statement(): Work {
    const word = this.peek();
    if (word.startsWith('"')) {
      this.at++;
      return () => this.state.print(word.slice(1, -1));
    }
    const known = Object.hasOwn(this.words, word) ? this.words[word] : undefined;
    if (known !== undefined) {
      this.at++;
      return known();
    }
    const from = this.at;
    const value = this.expression();
    const isAssignment = /^(?:=|[-+*/%^]=)$/.test(operatorAfter(this.tokens, from));
    return isAssignment
      ? () => void value()
      : () => {
          this.state.print(`${shown(value(), this.state.base("obase"))}\n`);
        };
  }

  private readonly words: { readonly [word: string]: () => Work } = {
    "{": () => this.block(),
    if: () => {
      const test = this.inBrackets();
      this.lines();
      const then = this.statement();
      const from = this.at;
      while (this.peek() === "\n" || this.peek() === ";") this.at++;
      const isElse = this.skip("else");
      if (!isElse) this.at = from;
      else this.lines();
      const other = isElse ? this.statement() : () => {};
      return () => (test().digits !== 0n ? then() : other());
    },
    while: () => {
      const test = this.inBrackets();
      this.lines();
      return this.loop(test, this.statement(), () => {});
    },
    for: () => {
      this.need("(");
      const [first, test, step] = [this.maybe(";"), this.maybe(";"), this.maybe(")")];
      this.lines();
      const body = this.loop(test, this.statement(), () => void step());
      return () => {
        first();
        body();
      };
    },
    print: () => {
      const parts: Work[] = [];
      do {
        const word = this.peek();
        if (word.startsWith('"')) {
          this.at++;
          parts.push(() => this.state.print(escaped(word.slice(1, -1))));
        } else {
          const value = this.expression();
          parts.push(() => this.state.print(shown(value(), this.state.base("obase"))));
        }
      } while (this.skip(","));
      return () => {
        for (const each of parts) each();
      };
    },
    define: () => this.define(),
    return: () => {
      const isBare = ["\n", ";", "}", ""].includes(this.peek());
      const value = isBare ? () => ZERO : this.expression();
      return () => {
        this.state.returned = value();
        throw new Leave("return");
      };
    },
    break: () => leaving("break"),
    continue: () => leaving("continue"),
    quit: () => leaving("quit"),
    halt: () => leaving("quit"),
  };

  private maybe(end: string): Value {
    const value = this.peek() === end ? () => ONE : this.expression();
    this.need(end);
    return value;
  }

  private inBrackets(): Value {
    this.need("(");
    const value = this.expression();
    this.need(")");
    return value;
  }

  private block(): Work {
    const works: Work[] = [];
    while (!this.skip("}")) {
      if (this.peek() === "") throw this.mistake();
      if (!this.skip("\n") && !this.skip(";")) works.push(this.statement());
    }
    return () => {
      for (const each of works) each();
    };
  }

  private loop(test: Value, body: Work, step: Work): Work {
    return () => {
      while (test().digits !== 0n) {
        try {
          body();
        } catch (error) {
          if (!(error instanceof Leave) || error.kind === "return" || error.kind === "quit") throw error;
          if (error.kind === "break") return;
        }
        step();
      }
    };
  }

  private define(): Work {
    this.skip("void");
    const name = this.tokens[this.at++] ?? "";
    this.need("(");
    const parameters = this.listed(")");
    this.lines();
    this.need("{");
    this.lines();
    const locals = this.skip("auto") ? this.listed("\n") : [];
    const body = this.block();
    this.state.definitions.set(name, { parameters, locals, body });
    return () => {};
  }

  private listed(end: string): readonly string[] {
    const names: string[] = [];
    while (this.peek() !== "" && !this.skip(end) && !(end === "\n" && this.skip(";")))
      if (!this.skip(",")) names.push(this.tokens[this.at++] ?? "");
    return names;
  }

  private expression(): Value {
    return this.either(() => this.both());
  }

  private either(inner: () => Value): Value {
    let left = inner();
    while (this.skip("||")) {
      const [before, right] = [left, inner()];
      left = () => truth(before().digits !== 0n || right().digits !== 0n);
    }
    return left;
  }

  private both(): Value {
    let left = this.not();
    while (this.skip("&&")) {
      const [before, right] = [left, this.not()];
      left = () => truth(before().digits !== 0n && right().digits !== 0n);
    }
    return left;
  }

  private not(): Value {
    if (!this.skip("!")) return this.relation();
    const value = this.not();
    return () => truth(value().digits === 0n);
  }

  private relation(): Value {
    const left = this.sum();
    const sign = /^(?:[<>=!]=|[<>])$/.exec(this.peek())?.[0];
    if (sign === undefined) return left;
    this.at++;
    const right = this.sum();
    return () => truth(HOLDS[sign]?.(compared(left(), right())) ?? false);
  }

  private sum(): Value {
    let left = this.product();
    for (let sign = this.peek(); sign === "+" || sign === "-"; sign = this.peek()) {
      this.at++;
      const [before, right] = [left, this.product()];
      left = sign === "+" ? () => plus(before(), right()) : () => plus(before(), negative(right()));
    }
    return left;
  }

  private product(): Value {
    let left = this.signed();
    for (let sign = this.peek(); /^[*/%]$/.test(sign); sign = this.peek()) {
      this.at++;
      const [before, right, how] = [left, this.signed(), sign];
      left = () => this.state.calculated(how, before(), right());
    }
    return left;
  }

  private signed(): Value {
    if (!this.skip("-")) return this.power();
    const value = this.signed();
    return () => negative(value());
  }

  private power(): Value {
    const base = this.atom();
    if (!this.skip("^")) return base;
    const exponent = this.signed();
    return () => this.state.calculated("^", base(), exponent());
  }

  private atom(): Value {
    const token = this.tokens[this.at++] ?? "";
    if (token === "(") {
      const value = this.expression();
      this.need(")");
      return value;
    }
    if (/^[0-9A-F.]/.test(token)) return () => decimalFrom(token, this.state.base("ibase"));
    if (token === "++" || token === "--") {
      const name = this.place(this.tokens[this.at++] ?? "");
      return () => this.state.set(name(), plus(this.state.get(name()), decimal(token === "++" ? 1 : -1)));
    }
    if (!/^[a-z]/.test(token)) throw this.mistake();
    return this.peek() === "(" ? this.called(token) : this.named(token);
  }

  /** A variable or an assignment; an array element has the name `a[3]`. */
  private named(token: string): Value {
    const name = this.place(token);
    const next = this.peek();
    if (next === "++" || next === "--") {
      this.at++;
      return () => {
        const before = this.state.get(name());
        this.state.set(name(), plus(before, decimal(next === "++" ? 1 : -1)));
        return before;
      };
    }
    if (!/^(?:=|[-+*/%^]=)$/.test(next)) return () => this.state.get(name());
    this.at++;
    const value = this.expression();
    if (next === "=") return () => this.state.set(name(), value());
    return () => this.state.set(name(), this.state.calculated(next.charAt(0), this.state.get(name()), value()));
  }

  private place(token: string): () => string {
    if (!this.skip("[")) return () => token;
    const index = this.expression();
    this.need("]");
    return () => `${token}[${shown({ digits: index().digits / 10n ** BigInt(index().scale), scale: 0 }, 10)}]`;
  }

  private called(name: string): Value {
    this.need("(");
    const given: Value[] = [];
    while (!this.skip(")")) {
      if (this.peek() === "") throw this.mistake();
      if (!this.skip(",")) given.push(this.expression());
    }
    const [first = () => ZERO] = given;
    if (name === "sqrt") return () => this.state.rootOf(first());
    if (name === "length") return () => decimal(String(first().digits).replace("-", "").length);
    if (name === "scale") return () => decimal(first().scale);
    const math =
      this.hasMath && !this.state.definitions.has(name) && Object.hasOwn(MATH, name) ? MATH[name] : undefined;
    if (math !== undefined) return () => math(first(), this.state.scale);
    return () =>
      this.state.carriedOut(
        name,
        given.map((each) => each()),
      );
  }
}
