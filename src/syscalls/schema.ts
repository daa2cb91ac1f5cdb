// A field table as JSON Schema, for models. Plain shapes need no schema library.

import type { Field, Fields } from "./define.ts";

type Schema = { readonly [key: string]: unknown };

export function parametersOf(fields: Fields): Schema {
  const shown = Object.entries(fields).filter(([, field]) => field.hide !== "tool" && field.hide !== "both");
  const required = shown.filter(([, field]) => !field.optional && field.fallback === undefined).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(shown.map(([name, field]) => [name, schemaOf(field)])),
    required,
    additionalProperties: false,
  };
}

function schemaOf(field: Field<unknown, boolean>): Schema {
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
