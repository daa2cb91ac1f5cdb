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
  const once = new OnceEach();
  const marked = marking(schema) as Parameters<typeof z.fromJSONSchema>[0];
  const shape = z.fromJSONSchema(marked, { registry: once as unknown as typeof z.globalRegistry });
  return (value) => {
    once.forget();
    return shape.safeParse(value).error?.issues ?? [];
  };
}

type Checker = z.core.$ZodType["_zod"]["run"];
type Checked = Awaited<ReturnType<Checker>>;

/** Applies each target of a reference to each value only once: recursive alternatives would take exponential time. */
class OnceEach {
  private readonly schemas = new Set<z.core.$ZodType>();
  private known = new WeakMap<z.core.$ZodType, Map<unknown, Checked>>();

  forget(): void {
    this.known = new WeakMap();
  }

  /** zod calls this for each converted schema with a keyword that zod does not know, here the mark. */
  add(schema: z.core.$ZodType, keywords: object): void {
    if (!(MARK in keywords) || this.schemas.has(schema)) return;
    this.schemas.add(schema);
    const check = schema._zod.run;
    schema._zod.run = (payload, context) => {
      const results = this.known.get(schema) ?? new Map<unknown, Checked>();
      this.known.set(schema, results);
      const known = results.get(payload.value);
      const result = known ?? distinct(check({ value: payload.value, issues: [] }, context) as Checked);
      if (known === undefined) results.set(payload.value, result);
      payload.value = result.value;
      if (result.aborted !== undefined) payload.aborted = result.aborted;
      for (const issue of result.issues) payload.issues.push(copied(issue));
      return payload;
    };
  }
}

/** Several parts of a schema may report the same issue through one reference. */
function distinct(result: Checked): Checked {
  const known = new Map<string, Checked["issues"]>();
  const issues = result.issues.filter((issue) => {
    const place = `${issue.code} ${JSON.stringify(issue.path)} ${issue.message}`;
    const others = known.get(place) ?? [];
    known.set(place, [...others, issue]);
    return others.every(({ inst }) => inst !== issue.inst);
  });
  return { ...result, issues };
}

/** Callers of a checker change the paths. The errors of the alternatives are not shown, and their number grows exponentially. */
function copied(issue: Checked["issues"][number]): Checked["issues"][number] {
  const path = issue.path && { path: [...issue.path] };
  if (issue.code !== "invalid_union") return { ...issue, ...path };
  return { ...issue, ...path, errors: [] } as Checked["issues"][number];
}

const MARK = "x-gsv-once";
const ANNOTATIONS = new Set(["description", "title"]);
const VALUES = new Set(["const", "enum", "default", "examples"]);

/** Marks what a reference can lead to, and drops texts beside references, for which zod would make an unmarked copy. */
function marking(root: object): object {
  const plain = withoutTexts(root) as { [key: string]: unknown };
  for (const key of ["$defs", "definitions"]) {
    const definitions = plain[key];
    if (typeof definitions !== "object" || definitions === null) continue;
    plain[key] = Object.fromEntries(Object.entries(definitions).map(([name, each]) => [name, markedOf(each)]));
  }
  return markedOf(plain) as object;
}

function markedOf(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const { description: _, ...rest } = schema as { readonly [key: string]: unknown };
  return { ...rest, [MARK]: true };
}

function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  const isReference = "$ref" in value && typeof value.$ref === "string";
  const kept = Object.entries(value).filter(
    ([key, each]) => !(isReference && ANNOTATIONS.has(key) && typeof each === "string"),
  );
  return Object.fromEntries(kept.map(([key, each]) => [key, VALUES.has(key) ? each : withoutTexts(each)]));
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
