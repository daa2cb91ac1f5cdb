// What two engines must agree on. The words gsv itself writes into a result, a reason or a notice are left out: the model has none.

const OWN_WORDS: readonly unknown[] = ["denied", "cancelled", "unknown"];
const KINDS_WITH_OWN_WORDS: readonly unknown[] = ["person", "repair", "limit"];
const ARCHIVED = ["id", "generation", "role", "ts", "undelivered"];

type Fields = { readonly [field: string]: unknown };

export function comparable(value: unknown): unknown {
  if (value === undefined) return null;
  return JSON.parse(JSON.stringify(value, (_key, field: unknown) => (isFields(field) ? bare(field) : field)));
}

function bare(field: Fields): Fields {
  if (OWN_WORDS.includes(field.outcome) && "output" in field) return { ...field, output: "" };
  if (KINDS_WITH_OWN_WORDS.includes(field.kind) && "reason" in field) return { ...field, reason: "" };
  if (field.reason === "kernel.deaths") return { ...field, error: "" };
  if (isFields(field.ended) && "text" in field.ended) return { ...field, ended: { ...field.ended, text: "" } };
  if ("conversation_id" in field || "ts" in field) {
    return Object.fromEntries(ARCHIVED.filter((name) => name in field).map((name) => [name, field[name]]));
  }
  return field;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
