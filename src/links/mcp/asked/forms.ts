// Forms of MCP servers: flat objects of texts, numbers, choices and yes or no. A person fills them field by field.

import { reveal } from "../../../lib/text/sanitize.ts";
import { clip } from "../../../lib/text/truncate.ts";
import { namesSecret } from "./secret-words.ts";

export interface FormField {
  readonly name: string;
  /** As a person reads it. */
  readonly label: string;
  readonly about: string;
  readonly kind: "text" | "number" | "integer" | "yes or no" | "choice" | "choices";
  readonly options: readonly Option[];
  readonly isRequired: boolean;
  /** undefined without one. */
  readonly fallback: unknown;
  readonly schema: { readonly [key: string]: unknown };
}

interface Option {
  readonly value: unknown;
  readonly label: string;
}

type Schema = { readonly [key: string]: unknown };
export type Values = { readonly [name: string]: unknown };

const FIELDS_MAX = 20;
const OPTIONS_MAX = 50;
const LABEL_CHARS = 80;
const ABOUT_CHARS = 300;

/** null if it is no flat form. */
export function fieldsOf(schema: unknown): readonly FormField[] | null {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: object; required?: readonly string[] };
  const entries = Object.entries(properties) as readonly [string, Schema][];
  if (entries.length > FIELDS_MAX) return null;
  const fields = entries.map(([name, each]) => fieldOf(name, each, required.includes(name)));
  return fields.includes(null) ? null : (fields as readonly FormField[]);
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): FormField | null {
  if (typeof schema !== "object" || schema === null) return null;
  const { type, title, description, default: fallback } = schema;
  const options = optionsOf(schema);
  const kind = kindOf(type, options);
  if (kind === null || options.length > OPTIONS_MAX) return null;
  const label = clip(reveal(typeof title === "string" ? title : name)).slice(0, LABEL_CHARS);
  const about = reveal(typeof description === "string" ? description : "").slice(0, ABOUT_CHARS);
  return { name, label, about, kind, options, isRequired, fallback, schema };
}

function kindOf(type: unknown, options: readonly Option[]): FormField["kind"] | null {
  if (type === "boolean") return "yes or no";
  if (type === "array") return options.length > 0 ? "choices" : null;
  if (options.length > 0) return "choice";
  if (type === "string") return "text";
  return type === "number" || type === "integer" ? type : null;
}

function optionsOf({ type, enum: values, enumNames, oneOf, items }: Schema): readonly Option[] {
  if (type === "boolean")
    return [
      { value: true, label: "yes" },
      { value: false, label: "no" },
    ];
  if (type === "array") {
    const { anyOf, ...rest } = (items ?? {}) as Schema;
    return optionsOf({ ...rest, type: "string", ...(anyOf !== undefined && { oneOf: anyOf }) });
  }
  const names = Array.isArray(enumNames) ? enumNames : [];
  if (Array.isArray(values)) return values.map((value, at) => optionOf(value, names[at]));
  if (!Array.isArray(oneOf)) return [];
  return (oneOf as readonly Schema[]).map((each) => optionOf(each.const, each.title));
}

function optionOf(value: unknown, title: unknown): Option {
  const label = clip(reveal(String(title ?? value))).slice(0, LABEL_CHARS);
  // Answers of gsv are in brackets.
  return { value, label: label.startsWith("(") ? `'${label}'` : label };
}

/** Anything can be typed there. */
export function isTyped({ kind }: FormField): boolean {
  return kind === "text" || kind === "number" || kind === "integer";
}

/** The first field whose name, title or description names a secret. */
export function secretField(fields: readonly FormField[]): FormField | null {
  return (
    fields
      .filter(isTyped)
      .find(
        ({ name, schema: { title, description, format, writeOnly } }) =>
          format === "password" ||
          writeOnly === true ||
          [name, title, description].some((text) => typeof text === "string" && namesSecret(text)),
      ) ?? null
  );
}

/** The defaults of all fields that have one; null if a required field has none. */
export function defaultsOf(fields: readonly FormField[]): Values | null {
  if (fields.some(({ isRequired, fallback }) => isRequired && fallback === undefined)) return null;
  return Object.fromEntries(fields.flatMap(({ name, fallback }) => (fallback === undefined ? [] : [[name, fallback]])));
}

/** The value that a person's answer means, or what is wrong with it. */
export function valueFrom(field: FormField, answer: string): { readonly value: unknown } | { readonly wrong: string } {
  const { kind, options, schema } = field;
  const text = answer.trim();
  if (kind === "choice" || kind === "yes or no") {
    const found = optionNamed(options, text);
    return found === undefined ? { wrong: `not one of the choices: ${text}` } : { value: found.value };
  }
  if (kind === "choices") {
    const found = text.split(",").map((each) => optionNamed(options, each.trim()));
    return found.includes(undefined)
      ? { wrong: "give numbers of the choices, separated by commas" }
      : within(field, [...new Set(found.map((each) => each?.value))], found.length, ["minItems", "maxItems"]);
  }
  if (kind === "text") return within(field, answer, [...answer].length, ["minLength", "maxLength"]);
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || (kind === "integer" && !Number.isInteger(value)))
    return { wrong: `not ${kind === "integer" ? "a whole number" : "a number"}: ${text}` };
  return within({ schema }, value, value, ["minimum", "maximum"]);
}

function optionNamed(options: readonly Option[], text: string): Option | undefined {
  return (
    options.find(({ label }) => label === text) ??
    options.find(({ label }) => label.toLowerCase() === text.toLowerCase()) ??
    (/^[1-9][0-9]?$/.test(text) ? options[Number(text) - 1] : undefined)
  );
}

function within(
  { schema }: Pick<FormField, "schema">,
  value: unknown,
  size: number,
  [least, most]: readonly [string, string],
): { readonly value: unknown } | { readonly wrong: string } {
  const [min, max] = [schema[least], schema[most]];
  if (typeof min === "number" && size < min) return { wrong: `at least ${min} needed` };
  if (typeof max === "number" && size > max) return { wrong: `at most ${max} allowed` };
  return { value };
}
