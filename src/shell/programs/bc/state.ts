// State of a bc program: variables, functions and the output line.

import { type Call, Usage } from "../program.ts";
import { type Decimal, decimal, negative, over, plus, raised, rest, root, times, ZERO } from "./number.ts";

export type Value = () => Decimal;
export type Work = () => void;

const LINE_CHARS = 68;
const MATH_SCALE = 20;
const DEEP = 1000;

export class Leave extends Error {
  constructor(readonly kind: "break" | "continue" | "return" | "quit") {
    super(kind);
  }
}

/** A runtime error of a bc program. */
export class Fault extends Error {}

interface Definition {
  readonly parameters: readonly string[];
  readonly locals: readonly string[];
  readonly body: Work;
}

export class BcState {
  private readonly names = new Map<string, Decimal>();
  readonly definitions = new Map<string, Definition>();
  returned = ZERO;
  private depth = 0;
  private column = 0;

  constructor(
    private readonly call: Call,
    hasMath: boolean,
  ) {
    if (hasMath) this.names.set("scale", decimal(MATH_SCALE));
  }

  get scale(): number {
    return Number(this.names.get("scale")?.digits ?? 0n);
  }

  calculated(sign: string, a: Decimal, b: Decimal): Decimal {
    if ((sign === "/" || sign === "%") && b.digits === 0n)
      throw new Fault("Runtime error (func=(main), adr=3): Divide by zero");
    if (sign === "*") return times(a, b, this.scale);
    if (sign === "/") return over(a, b, this.scale);
    if (sign === "%") return rest(a, b, this.scale);
    if (sign === "+") return plus(a, b);
    if (sign === "-") return plus(a, negative(b));
    const exponent = b.digits / 10n ** BigInt(b.scale);
    if (exponent > 1_000_000n) throw new Fault("Runtime error (func=(main), adr=3): exponent too large in raise");
    return raised(a, exponent, this.scale);
  }

  base(name: "ibase" | "obase"): number {
    return Number(this.names.get(name)?.digits ?? 10n);
  }

  get(name: string): Decimal {
    if (name === "ibase" || name === "obase") return decimal(this.base(name));
    return this.names.get(name) ?? ZERO;
  }

  set(name: string, value: Decimal): Decimal {
    const isSetting = name === "scale" || name === "ibase" || name === "obase";
    const kept = isSetting ? { digits: value.digits / 10n ** BigInt(value.scale), scale: 0 } : value;
    this.names.set(name, kept);
    return kept;
  }

  rootOf(value: Decimal): Decimal {
    if (value.digits < 0n) throw new Fault("Runtime error (func=(main), adr=3): Square root of a negative number");
    return root(value, this.scale);
  }

  carriedOut(name: string, given: readonly Decimal[]): Decimal {
    const definition = this.definitions.get(name);
    if (definition === undefined) throw new Fault(`Runtime error (func=(main), adr=3): Function ${name} not defined.`);
    if (++this.depth > DEEP) throw new Usage("bc: its functions call each other too deeply");
    const own = [...definition.parameters, ...definition.locals];
    const before = own.map((each) => [each, this.names.get(each)] as const);
    for (const [at, each] of own.entries()) this.names.set(each, given[at] ?? ZERO);
    this.returned = ZERO;
    try {
      definition.body();
    } catch (error) {
      if (!(error instanceof Leave) || error.kind !== "return") throw error;
    } finally {
      this.depth--;
      for (const [each, value] of before) value === undefined ? this.names.delete(each) : this.names.set(each, value);
    }
    return this.returned;
  }

  /** Long numbers are wrapped with a backslash. */
  print(text: string): void {
    let output = "";
    for (const letter of text) {
      if (letter !== "\n" && this.column === LINE_CHARS) {
        output += "\\\n";
        this.column = 0;
      }
      output += letter;
      this.column = letter === "\n" ? 0 : this.column + 1;
    }
    this.call.out(output);
  }
}

export function leaving(kind: Leave["kind"]): Work {
  return () => {
    throw new Leave(kind);
  };
}
