// Types of awk's syntax tree.

export type Expression =
  | { readonly is: "number"; readonly value: number }
  | { readonly is: "string"; readonly value: string }
  | { readonly is: "regex"; readonly source: string }
  | Variable
  | Field
  | Element
  | { readonly is: "group"; readonly inner: Expression }
  | { readonly is: "assign"; readonly operator: string; readonly target: Target; readonly value: Expression }
  | { readonly is: "step"; readonly by: 1 | -1; readonly before: boolean; readonly target: Target }
  | { readonly is: "choice"; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly is: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly is: "unary"; readonly operator: string; readonly operand: Expression }
  | { readonly is: "match"; readonly isNot: boolean; readonly text: Expression; readonly pattern: Expression }
  | { readonly is: "within"; readonly subscripts: readonly Expression[]; readonly name: string }
  | { readonly is: "call"; readonly name: string; readonly args: readonly Expression[]; readonly line: number }
  | { readonly is: "builtin"; readonly name: string; readonly args: readonly Expression[]; readonly line: number }
  | {
      readonly is: "getline";
      readonly from: "input" | "file" | "command";
      readonly source: Expression | null;
      readonly target: Target | null;
    };

export type Variable = { readonly is: "variable"; readonly name: string };
export type Field = { readonly is: "field"; readonly number: Expression };
export type Element = { readonly is: "element"; readonly name: string; readonly subscripts: readonly Expression[] };
export type Target = Variable | Field | Element;

export type Statement =
  | { readonly is: "block"; readonly body: readonly Statement[] }
  | { readonly is: "expression"; readonly value: Expression }
  | {
      readonly is: "print";
      readonly format: boolean;
      readonly values: readonly Expression[];
      readonly into: { readonly operator: ">" | ">>" | "|"; readonly name: Expression } | null;
    }
  | {
      readonly is: "if";
      readonly condition: Expression;
      readonly yes: Statement;
      readonly no: Statement | null;
    }
  | {
      readonly is: "loop";
      readonly first: Statement | null;
      readonly condition: Expression | null;
      readonly step: Statement | null;
      readonly body: Statement;
      /** The body comes before the condition. */
      readonly bodyFirst: boolean;
    }
  | { readonly is: "each"; readonly variable: Variable; readonly name: string; readonly body: Statement }
  | { readonly is: "delete"; readonly name: string; readonly subscripts: readonly Expression[] | null }
  | { readonly is: "break" | "continue" | "next" | "nextfile" }
  | { readonly is: "exit" | "return"; readonly value: Expression | null };

export interface FunctionText {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: Statement;
}

export interface Rule {
  readonly when: "begin" | "end" | "record";
  /** One condition, or the two ends of a range. */
  readonly conditions: readonly Expression[];
  /** null prints the record. */
  readonly body: Statement | null;
}

export interface ProgramText {
  readonly rules: readonly Rule[];
  readonly functions: readonly FunctionText[];
}
