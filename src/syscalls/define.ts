// How a syscall is declared, once: name, class, capability, who may, fields in, what it returns, how a model and a command line see it.
// Dispatch, the socket, model tools, CLI, help and reference all derive from the declaration; none of them needs zod to read it.

import type { Caller } from "../abi/identity.ts";
import type { CallClass, ClientInfo } from "../abi/sys.ts";
import type { Tone } from "../lib/text/tones.ts";

export type FieldKind =
  | "text"
  | "words"
  | "int"
  | "flag"
  | "pid"
  | "pids"
  | "path"
  | "paths"
  | "uid"
  | "uuid"
  | "choice"
  | "object";

export interface FieldSpec<T> {
  readonly kind: FieldKind;
  readonly doc: string;
  readonly optional: boolean;
  readonly fallback?: T;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Shortest and longest text in UTF-16 units. */
  readonly shortest?: number;
  readonly longest?: number;
  /** Taken as an argument without a flag on the command line, in order of declaration. */
  readonly positional?: boolean;
  /** The flag's one letter. */
  readonly letter?: string;
  /** On the command line it may stand without a value, and is the empty text then; a value follows `=` and never as a word. */
  readonly bare?: true;
  /** A flag of another name, when the field's own would read badly. `no-` negates. */
  readonly flag?: string;
  /** Not on the command line, or not shown to a model. */
  readonly hide?: "cli" | "tool" | "both";
  /** Never in a log, an audit row or a stored answer. */
  readonly secret?: true;
  /** On the command line `-` means that stdin is the value. */
  readonly stdin?: true;
  /** What it names, where its kind does not say so: completion offers those there are. */
  readonly of?:
    | "process"
    | "approval"
    | "archive"
    | "workspace"
    | "hook"
    | "syscall"
    | "signal"
    | "topic"
    | "session"
    | "session-path"
    | "conversation"
    | "agent"
    | "bundle"
    | "project"
    | "file"
    | "host-or-file"
    | "core";
  /** Placeholder in help: `--limit N`. */
  readonly meta?: string;
}

// `type` carries the TypeScript type only; it does not exist at run time.
export interface Field<T, Optional extends boolean = false> extends FieldSpec<T> {
  readonly type?: T;
  readonly optional: Optional;
}

type Options<T> = Partial<Omit<FieldSpec<T>, "kind" | "doc" | "optional" | "fallback">>;

function make<T>(kind: FieldKind, doc: string, options: object): Field<T> {
  return { kind, doc, optional: false, ...options } as Field<T>;
}

export const field = {
  text: (doc: string, options: Options<string> = {}) => make<string>("text", doc, options),
  int: (doc: string, options: Options<number> = {}) => make<number>("int", doc, options),
  flag: (doc: string, options: Options<boolean> = {}) =>
    make<boolean>("flag", doc, { ...options, optional: true }) as unknown as Field<boolean, true>,
  pid: (doc: string, options: Options<string> = {}) => make<string>("pid", doc, options),
  words: (doc: string, options: Options<string[]> = {}) => make<string[]>("words", doc, options),
  pids: (doc: string, options: Options<string[]> = {}) => make<string[]>("pids", doc, options),
  path: (doc: string, options: Options<string> = {}) => make<string>("path", doc, options),
  paths: (doc: string, options: Options<string[]> = {}) => make<string[]>("paths", doc, options),
  uid: (doc: string, options: Options<number> = {}) => make<number>("uid", doc, options),
  uuid: (doc: string, options: Options<string> = {}) => make<string>("uuid", doc, options),
  object: (doc: string, options: Options<object> = {}) =>
    make<{ readonly [key: string]: unknown }>("object", doc, options),
  choice: <const C extends readonly string[]>(doc: string, choices: C, options: Options<string> = {}) =>
    make<C[number]>("choice", doc, { ...options, choices }),
  optional: <T>(inner: Field<T>): Field<T, true> => ({ ...inner, optional: true }),
  /** Always present in the handler: the caller's value or this one. */
  withDefault: <T>(inner: Field<T>, fallback: T): Field<T> => ({ ...inner, fallback }),
};

export type Fields = { readonly [name: string]: Field<unknown, boolean> };

type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]["optional"] extends true ? never : K }[keyof F];
type ValueOf<X> = X extends { readonly type?: infer T } ? Exclude<T, undefined> : never;
export type Args<F extends Fields> = { readonly [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]>;
};

/** What a handler is told besides its arguments. */
export interface CallContext {
  readonly caller: Caller;
  /** Scoped to the caller's uid; a keyed verb stores it with its effect. */
  readonly requestId: string;
  /** Aborts when the client cancels a read or wait, or goes away. Never set off for keyed calls. */
  readonly signal: AbortSignal;
  /** Set off when the client of a person has gone, also for keyed calls: for the few that end with whoever reads their output. */
  readonly gone?: AbortSignal;
  /** The client at the other end; absent for processes. */
  readonly client?: ClientInfo;
}

export interface ToolHint {
  /** The name a model calls it by. */
  readonly name: string;
  readonly description: string;
  /**
   * What a crash between dispatch and result means: a `read` runs again, an `effect` is reported as unknown and never repeated. One to
   * `resume` is asked again under the same request id, by which it finds what it began.
   */
  readonly repeat: "read" | "effect" | "resume";
  /** How a model reads the result, where that differs from what people read. */
  readonly text?: (result: never) => string;
  /** A result can be an image that a model is shown: what has to be asked for besides, and its bytes. */
  readonly shows?: { readonly with: object; readonly image: (result: never) => Uint8Array | null };
}

/** A list that comes in pieces: its rows stand under `rows`, where the next piece begins under `next`, and is asked for with `argument`. */
export interface Pages {
  readonly rows: string;
  readonly next: string;
  readonly argument: string;
}

/** How the command line prints a result; JSON output needs no hint. */
export type Print<Output> =
  | {
      readonly kind: "value";
      readonly text: (result: Output) => string;
      /** What is missing of it, and how to have it: printed on stderr, with --json too. */
      readonly cut?: (result: Output) => string | null;
    }
  | {
      readonly kind: "table";
      readonly rows: (result: Output) => readonly object[];
      readonly columns: readonly Column[];
      readonly empty: string;
      readonly pages?: Pages;
      /** Rows that are not whole, and how to have them: printed on stderr, with --json too. */
      readonly cut?: (result: Output) => string | null;
    }
  /** One text per row; in JSON one object per row. */
  | {
      readonly kind: "list";
      readonly rows: (result: Output) => readonly object[];
      /** Stands before the rows. */
      readonly head?: (result: Output) => string;
      readonly line: (row: never) => string;
      readonly empty: string;
      /** Printed on stderr after the rows. */
      readonly note?: (result: Output) => string | null;
      /** Rows that are not whole: the same, and with --json too. */
      readonly cut?: (result: Output) => string | null;
    }
  | { readonly kind: "silent" };

/**
 * A text, or an instant: shown as an age on a terminal and as ISO time elsewhere. Where it is what stands in a field of the row, the field
 * is named: a list may have a thousand rows, and nothing is called for each of them then.
 */
export type Column<Row = never> = {
  readonly head: string;
  readonly align?: "right";
  /** Gives way first when the terminal is narrow; from its start where the end tells more. */
  readonly shrink?: true | "start";
  /** Coloured where somebody looks; nothing is said by colour alone. */
  readonly tone?: (row: Row) => Tone | undefined;
  /** Printed whole under its row when the line is too long: what a person must be able to read. */
  readonly below?: true;
  /** Left out when even then the line is too long, the highest first. */
  readonly minor?: number;
} & (
  | {
      readonly cell: FieldOf<Row> | ((row: Row) => string);
      /** The fields that it is made of: where they hold what they held in the row above, so does the cell. */
      readonly by?: readonly FieldOf<Row>[];
      readonly since?: undefined;
    }
  | { readonly since: FieldOf<Row> | ((row: Row) => number); readonly cell?: undefined }
);

type FieldOf<Row> = keyof Row & string;

export interface CliHint<Output> {
  readonly examples: readonly string[];
  readonly print: Print<Output>;
  /** Hidden from the command line; a hand-written command stands for it. */
  readonly hidden?: true;
}

/** Whose door it is: everybody's, a person's, or a person's and that of a process whose one call a person has approved. */
export type By = "anyone" | "person" | "approved";

export interface Syscall<Services = never, Input extends Fields = Fields, Output = unknown> {
  readonly name: string;
  readonly summary: string;
  readonly class: CallClass;
  /** What makes a keyed call safe to repeat: the verb behind it, or the answer that dispatch keeps. Defaults to the verb. */
  readonly once: "verb" | "answer";
  /** Defaults to the name. */
  readonly capability: string;
  readonly by: By;
  readonly input: Input;
  readonly tool?: ToolHint;
  readonly cli: CliHint<Output>;
  readonly run: (services: Services, args: Args<Input>, context: CallContext) => Promise<Output>;
}

type Declaration<Services, Input extends Fields, Output> = Omit<
  Syscall<Services, Input, Output>,
  "capability" | "by" | "once"
> & {
  readonly once?: "verb" | "answer";
  readonly capability?: string;
  readonly by?: By;
};

export function syscall<Services, Input extends Fields, Output>(
  declaration: Declaration<Services, Input, Output>,
): Syscall<Services, Input, Output> {
  return { by: "anyone", once: "verb", capability: declaration.name, ...declaration };
}
