// The declaration of a syscall: name, class, capability, who may call it, input fields, output, and how models and command lines see it.
// Dispatch, the socket, model tools, CLI, help and reference derive from it without loading zod.

import type { Caller } from "../abi/identity.ts";
import type { Mode } from "../abi/policy.ts";
import type { CallClass, CallOptions, ClientInfo } from "../abi/sys.ts";
import type { When } from "../lib/text/days.ts";
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
  /** Other names of choices. */
  readonly aliases?: { readonly [name: string]: string };
  readonly min?: number;
  readonly max?: number;
  /** Limits of the length, in UTF-16 units. */
  readonly shortest?: number;
  readonly longest?: number;
  /** On the command line, an argument without a flag, in order of declaration. */
  readonly positional?: boolean;
  readonly letter?: string;
  /** The flag may stand alone, meaning the empty text. A value must follow `=`. */
  readonly bare?: true;
  /** Name of the flag, if not the field's. `no-` negates. */
  readonly flag?: string;
  /** Hidden on the command line, from models, or from both. */
  readonly hide?: "cli" | "tool" | "both";
  /** One line without control characters. */
  readonly line?: true;
  /** Kept out of logs, audit rows and stored answers. */
  readonly secret?: true;
  /** On the command line, `-` reads the value from stdin. */
  readonly stdin?: true;
  /** The kind of thing it names, for completion. */
  readonly of?:
    | "process"
    | "remote"
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
    | "schedule"
    | "notification"
    | "watch"
    | "mcp"
    | "event"
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
  /** The handler always gets a value: the caller's or this one. */
  withDefault: <T>(inner: Field<T>, fallback: T): Field<T> => ({ ...inner, fallback }),
};

export type Fields = { readonly [name: string]: Field<unknown, boolean> };

type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]["optional"] extends true ? never : K }[keyof F];
type ValueOf<X> = X extends { readonly type?: infer T } ? Exclude<T, undefined> : never;
export type Args<F extends Fields> = { readonly [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]>;
};

/** What a handler gets besides its arguments. */
export interface CallContext {
  readonly caller: Caller;
  /** Scoped to the caller's uid. A keyed call stores it with its effect. */
  readonly requestId: string;
  /** Aborts when the client cancels a read or wait, or disconnects. Never for keyed calls. */
  readonly signal: AbortSignal;
  /** Aborts when a person's client disconnects, for keyed calls too. For calls that end with their reader. */
  readonly gone?: AbortSignal;
  /** Absent for processes. */
  readonly client?: ClientInfo;
  /** See CallOptions. A verb that finds its stored answer calls it. */
  readonly onRepeat?: CallOptions["onRepeat"];
}

export interface ToolHint {
  readonly name: string;
  readonly description: string;
  /**
   * After a crash between dispatch and result: a `read` runs again, an `effect` is reported as unknown and never repeated, a `resume` is
   * called again with the same request id and finds what it began.
   */
  readonly repeat: "read" | "effect" | "resume";
  /** Offered in this mode only. */
  readonly mode?: Mode;
  /** The result for a model, if not the same as for people. */
  readonly text?: (result: never) => string;
  /** For results that may be images: the extra arguments to ask for bytes, and the bytes. */
  readonly shows?: { readonly with: object; readonly image: (result: never) => Uint8Array | null };
}

/** A list in pages: field names of the rows and of the cursor, and the argument that takes the cursor. */
export interface Pages {
  readonly rows: string;
  readonly next: string;
  readonly argument: string;
}

/** How the command line prints a result. JSON output needs no hint. */
export type Print<Output> =
  | {
      readonly kind: "value";
      readonly text: (result: Output, when: When) => string;
      /** The text on a terminal. */
      readonly people?: (result: Output) => string;
      /** Lines of gsv, each a name and a value, or indented: wrapped at words on a terminal. */
      readonly isFacts?: true;
      /** Note about missing parts, printed on stderr, with --json too. */
      readonly cut?: (result: Output) => string | null;
    }
  | {
      readonly kind: "table";
      readonly rows: (result: Output) => readonly object[];
      readonly columns: readonly Column[];
      readonly empty: string;
      readonly pages?: Pages;
      /** What to do about some rows. Printed on stderr after them. */
      readonly note?: (result: Output) => string | null;
      /** Note about cut rows, printed on stderr, with --json too. */
      readonly cut?: (result: Output) => string | null;
    }
  /** One text per row; in JSON, one object per row. */
  | {
      readonly kind: "list";
      readonly rows: (result: Output) => readonly object[];
      /** Printed before the rows. */
      readonly head?: (result: Output) => string;
      readonly line: (row: never, when: When) => string;
      readonly empty: string;
      /** Each row is one line of gsv's: wrapped at words on a terminal. */
      readonly isWrapped?: true;
      /** Printed on stderr after the rows. */
      readonly note?: (result: Output) => string | null;
      /** As for tables. */
      readonly cut?: (result: Output) => string | null;
    }
  | { readonly kind: "silent" };

export function value<Output>(
  text: (result: Output, when: When) => string,
  people?: (result: Output) => string,
): Print<Output> {
  return { kind: "value", text, ...(people !== undefined && { people }) };
}

export function facts<Output>(text: (result: Output, when: When) => string): Print<Output> {
  return { kind: "value", text, isFacts: true };
}

/**
 * A text, or an instant (`since`), shown as an age or as the time to come on a terminal, as ISO time elsewhere, and as `-` if it is NaN. Name a field where possible instead of a
 * function: lists have up to a thousand rows.
 */
export type Column<Row = never> = {
  readonly head: string;
  readonly align?: "right";
  /** Cut first on a narrow terminal; "start" cuts the beginning. */
  readonly shrink?: true | "start";
  /** Colour on a terminal; never the only carrier of information. */
  readonly tone?: (row: Row) => Tone | undefined;
  /** Printed in full below the row if the line is too long. */
  readonly below?: true;
  /** Dropped if the line is still too long, highest number first. */
  readonly minor?: number;
} & (
  | {
      readonly cell: FieldOf<Row> | ((row: Row) => string);
      /** The fields the cell is made of: if they equal those of the row above, the cell is reused. */
      readonly by?: readonly FieldOf<Row>[];
      /** A UUID: its short id on a terminal. */
      readonly isId?: true;
      /** A number of bytes: with its unit on a terminal. */
      readonly isSize?: true;
      readonly since?: undefined;
    }
  | {
      readonly since: FieldOf<Row> | ((row: Row) => number);
      readonly cell?: undefined;
      readonly isId?: undefined;
      readonly isSize?: undefined;
    }
);

type FieldOf<Row> = keyof Row & string;

export interface CliHint<Output> {
  readonly examples: readonly string[];
  readonly print: Print<Output>;
  /** No command is derived; a hand-written one exists. */
  readonly hidden?: true;
  /** Adds the parts of a result that do not fit into one answer. `more` calls again, with these arguments changed. */
  readonly whole?: (result: Output, more: (changed: object) => Promise<Output>) => Promise<Output>;
  /** Exit status; 0 if missing. */
  readonly exit?: (result: Output) => number;
}

/** Who may call: everyone, a person, or a person and a process with an approved call. */
export type By = "anyone" | "person" | "approved";

export interface Syscall<
  Services = never,
  Input extends Fields = Fields,
  Output = unknown,
  Name extends string = string,
> {
  readonly name: Name;
  readonly summary: string;
  readonly class: CallClass;
  /** What makes a repeated keyed call safe: the answer that dispatch stores (default), or the verb itself. */
  readonly once: "verb" | "answer";
  /** Default: the name. */
  readonly capability: string;
  readonly by: By;
  readonly input: Input;
  readonly tool?: ToolHint;
  readonly cli: CliHint<Output>;
  readonly run: (services: Services, args: Args<Input>, context: CallContext) => Promise<Output>;
}

type Declaration<Services, Input extends Fields, Output, Name extends string> = Omit<
  Syscall<Services, Input, Output, Name>,
  "capability" | "by" | "once" | "cli"
> & {
  readonly once?: "verb" | "answer";
  readonly capability?: string;
  readonly by?: By;
  /** Missing for calls without a derived command: programs print their results. */
  readonly cli?: Omit<CliHint<Output>, "examples"> & { readonly examples?: readonly string[] };
};

export function syscall<Services, Input extends Fields, Output, const Name extends string>(
  declaration: Declaration<Services, Input, Output, Name>,
): Syscall<Services, Input, Output, Name> {
  const { cli = { hidden: true, print: { kind: "silent" } }, ...rest } = declaration;
  return { by: "anyone", once: "answer", capability: rest.name, ...rest, cli: { examples: [], ...cli } };
}
