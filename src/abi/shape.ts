// Checks values from outside against a JSON Schema. Loaded only when needed, because zod takes milliseconds. Refuses
// schemas that refer to themselves at the same value, and those that check one value too often: neither would end.

import { z } from "zod";

/** The faults of a value with their places; empty if valid. */
export type Shape = (value: unknown) => readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];

/** Maximum number of schemas applied to one value. */
const SCHEMAS_MAX = 10_000;
const COMBINED = ["allOf", "anyOf", "oneOf"] as const;

/** Throws if the JSON Schema is not usable. */
export function shapeFrom(schema: object): Shape {
  refuseEndless(schema);
  const shape = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  return (value) => shape.safeParse(value).error?.issues ?? [];
}

function refuseEndless(root: object): void {
  const costs = new Map<object, number>();
  const costOf = (schema: unknown): number => {
    if (typeof schema !== "object" || schema === null) return 1;
    const known = costs.get(schema);
    if (known === 0) throw new Error("it refers to itself, and no value would end that");
    if (known !== undefined) return known;
    // Marks it as unfinished: meeting it again means a cycle.
    costs.set(schema, 0);
    const cost = subschemas(root, schema).reduce<number>((sum, each) => sum + costOf(each), 1);
    if (cost > SCHEMAS_MAX) throw new Error(`it holds one value to more than ${SCHEMAS_MAX} schemas`);
    costs.set(schema, cost);
    return cost;
  };
  for (const each of everyObjectIn(root)) costOf(each);
}

/** The subschemas that apply to the same value. */
function subschemas(root: object, schema: object): readonly unknown[] {
  const { $ref, ...rest } = schema as { readonly [key: string]: unknown };
  const combined = COMBINED.flatMap((key) => (Array.isArray(rest[key]) ? rest[key] : []));
  return typeof $ref === "string" ? [...combined, target(root, $ref)] : combined;
}

/** Resolves references as zod does; undefined if missing, which zod then reports. */
function target(root: object, ref: string): unknown {
  const [definitions, name] = ref.replace(/^#/, "").split("/").filter(Boolean).map(unescaped);
  if (definitions === undefined) return root;
  return ownIn(ownIn(root, definitions), name ?? "");
}

function ownIn(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

function everyObjectIn(root: object): readonly object[] {
  const found = [root];
  for (const each of found)
    for (const value of Object.values(each)) if (typeof value === "object" && value !== null) found.push(value);
  return found;
}
