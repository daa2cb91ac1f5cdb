// Values from outside that a JSON Schema describes. Loaded when such a schema is at hand, and never before: zod takes milliseconds.

import { z } from "zod";

/** What is wrong with a value, each with its place; nothing when it fits. */
export type Shape = (value: unknown) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];

/** Throws when it is no JSON Schema that can be held to. */
export function shapeFrom(schema: object): Shape {
  const shape = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  return (value) => shape.safeParse(value).error?.issues ?? [];
}
