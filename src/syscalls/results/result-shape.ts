// Shapes of results as JSON Schema, for the OpenAPI document. The compiler compares each with the type that its call returns: a field that is
// missing here, or that the type does not have, does not compile.

import type { Schema } from "../schema.ts";

/** `type` exists for the compiler only. As a function it is exact: neither a wider nor a narrower type fits. */
export interface ResultShape<T> extends AnyShape {
  readonly type?: (value: T) => T;
}

interface AnyShape {
  readonly schema: Schema;
}

interface OptionalShape<T> {
  readonly optional: ResultShape<T>;
}

type TypeOf<S> = S extends ResultShape<infer T> ? T : never;
/** `unknown` allows undefined, but is no optional field. */
type FieldShape<T, K extends keyof T> =
  Record<never, never> extends Pick<T, K> ? OptionalShape<Exclude<T[K], undefined>> : ResultShape<T[K]>;
type FieldShapes<T> = { readonly [K in keyof T]-?: FieldShape<T, K> };

const described = (schema: Schema, doc: string | undefined): Schema =>
  doc === undefined ? schema : { ...schema, description: doc };

export const anything: ResultShape<unknown> = { schema: {} };
export const text = (doc?: string): ResultShape<string> => ({ schema: described({ type: "string" }, doc) });
/** A text whose values may grow. */
export const word = <T extends string>(doc?: string): ResultShape<T> => ({
  schema: described({ type: "string" }, doc),
});
export const choice = <const C extends readonly (string | number)[]>(...values: C): ResultShape<C[number]> => ({
  schema: { enum: values },
});
export const int = (doc?: string): ResultShape<number> => ({ schema: described({ type: "integer" }, doc) });
export const number = (doc?: string): ResultShape<number> => ({ schema: described({ type: "number" }, doc) });
export const flag = (doc?: string): ResultShape<boolean> => ({ schema: described({ type: "boolean" }, doc) });
export const yes: ResultShape<true> = { schema: { const: true } };
export const nothing: ResultShape<null> = { schema: { type: "null" } };
export const time = (doc = "ms since the epoch"): ResultShape<number> => int(doc);

export const list = <T>(each: ResultShape<T>): ResultShape<readonly T[]> => ({
  schema: { type: "array", items: each.schema },
});

export const map = <T>(each: ResultShape<T>): ResultShape<{ readonly [key: string]: T }> => ({
  schema: { type: "object", additionalProperties: each.schema },
});

export const either = <const S extends readonly AnyShape[]>(...shapes: S): ResultShape<TypeOf<S[number]>> => ({
  schema: { anyOf: shapes.map(({ schema }) => schema) },
});

export const orNull = <T>({ schema }: ResultShape<T>): ResultShape<T | null> => ({
  schema: typeof schema.type === "string" ? { ...schema, type: [schema.type, "null"] } : { anyOf: [schema, NULL] },
});
const NULL = { type: "null" };

export const optional = <T>(shape: ResultShape<T>): OptionalShape<T> => ({ optional: shape });

export function object<T>(fields: FieldShapes<T>): ResultShape<T> {
  const entries = Object.entries(
    fields as object as { readonly [name: string]: AnyShape | { readonly optional: AnyShape } },
  );
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(
        entries.map(([name, shape]) => [name, "optional" in shape ? shape.optional.schema : shape.schema]),
      ),
      required: entries.flatMap(([name, shape]) => ("optional" in shape ? [] : [name])),
    },
  };
}
