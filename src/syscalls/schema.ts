// A field table as JSON Schema: for models the bare shapes, for programs with all limits. Plain shapes need no schema library.

import { LIMITS } from "../abi/config/limits.ts";
import { ID_MAX } from "../abi/identity.ts";
import { PID_PATTERN } from "../abi/ids.ts";
import type { Field, Fields } from "./define.ts";

export type Schema = { readonly [key: string]: unknown };

type AnyField = Field<unknown, boolean>;

/** The arguments that a model may give. */
export function parametersOf(fields: Fields): Schema {
  const shown = Object.entries(fields).filter(([, field]) => field.hide !== "tool" && field.hide !== "both");
  return objectOf(shown, shapeOf);
}

/** All arguments, with what the kernel checks about each. */
export function argumentsOf(fields: Fields): Schema {
  return objectOf(Object.entries(fields), (field) => ({
    ...shapeOf(field),
    ...limitsOf(field),
    ...(field.fallback !== undefined && { default: field.fallback }),
    ...(field.secret && { writeOnly: true }),
  }));
}

function objectOf(fields: readonly (readonly [string, AnyField])[], schemaOf: (field: AnyField) => Schema): Schema {
  const required = fields.filter(([, field]) => !field.optional && field.fallback === undefined).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
    required,
    additionalProperties: false,
  };
}

function shapeOf(field: AnyField): Schema {
  const { doc: description } = field;
  switch (field.kind) {
    case "flag":
      return { type: "boolean", description };
    case "int":
    case "uid":
      return { type: "integer", description, minimum: field.min ?? 0 };
    case "choice":
      return { type: "string", description, enum: field.choices ?? [] };
    case "pids":
    case "words":
    case "paths":
      return { type: "array", description, items: { type: "string" } };
    case "object":
      return { type: "object", description };
    default:
      return { type: "string", description };
  }
}

const PIDS = { type: "string", pattern: PID_PATTERN };

/** As parse.ts checks them. */
function limitsOf({ kind, min = 0, max, shortest, longest, choices = [], aliases = {} }: AnyField): Schema {
  switch (kind) {
    case "text":
      return { ...(shortest && { minLength: shortest }), maxLength: longest ?? LIMITS.messageCharsMax };
    case "words":
      return { minItems: 1, items: { type: "string", maxLength: longest ?? LIMITS.labelCharsMax } };
    case "path":
      return { minLength: 1, maxLength: LIMITS.pathBytesMax };
    case "paths":
      return { minItems: 1, items: { type: "string", minLength: 1, maxLength: LIMITS.pathBytesMax } };
    case "int":
      return { minimum: min, maximum: max ?? Number.MAX_SAFE_INTEGER };
    case "uid":
      return { minimum: min, maximum: max ?? ID_MAX };
    case "pid":
      return PIDS;
    case "pids":
      return { minItems: 1, maxItems: LIMITS.pidsPerCallMax, items: PIDS };
    case "uuid":
      return { format: "uuid" };
    case "choice":
      return { enum: [...choices, ...Object.keys(aliases)] };
    case "flag":
    case "object":
      return {};
  }
}
