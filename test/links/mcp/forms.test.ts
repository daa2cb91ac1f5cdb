// Forms of servers: what a person may type, and what is never asked for.

import { describe, expect, test } from "bun:test";
import { defaultsOf, fieldsOf, secretField, valueFrom } from "../../../src/links/mcp/asked/forms.ts";
import { advance, type Held } from "../../../src/links/mcp/asked/questions.ts";
import { namesSecret } from "../../../src/links/mcp/asked/secret-words.ts";

const form = (properties: object, required: readonly string[] = []) =>
  fieldsOf({ type: "object", properties, required });

describe("a secret", () => {
  test.each([
    ...[
      "password",
      "Password",
      "userPassword",
      "user_password",
      "PASSWD",
      "passphrase",
      "API key",
      "apiKey",
      "API_KEY",
      "api-key",
      "accessToken",
    ],
    ...[
      "token",
      "otp",
      "One-time code",
      "2FA code",
      "Verification code",
      "cardNumber",
      "Credit card number",
      "CVV",
      "PIN",
      "private key",
      "seed phrase",
    ],
    ...["Passwort", "Ihr Kennwort", "API-Schlüssel", "Einmalcode", "Kreditkartennummer", "Kartennummer", "TAN"],
    ...[
      "mot de passe",
      "Mot De Passe",
      "clé d'API",
      "code à usage unique",
      "numéro de carte",
      "carte bancaire",
      "jeton",
    ],
    ...["contraseña", "Clave de acceso", "código de un solo uso", "número de tarjeta", "tarjeta de crédito"],
    ...["senha", "palavra-passe", "chave de API", "código de uso único", "número do cartão"],
    ...[
      "p\u0430ssw\u043erd",
      "pass\u200bword",
      "ｐａｓｓｗｏｒｄ",
      "p\u00e1ssword",
      "Please enter your password, and press enter",
      "one of your recovery codes",
      "API keys",
    ],
  ])("is recognised in %j", (text) => {
    expect(namesSecret(text)).toBe(true);
    expect(secretField(form({ value: { type: "string", title: text } })!)).not.toBeNull();
    expect(secretField(form({ value: { type: "string", description: `Enter it: ${text}` } })!)).not.toBeNull();
    expect(secretField(form({ [text]: { type: "string" } })!)).not.toBeNull();
  });

  test.each([
    "name",
    "maxTokens",
    "tokens",
    "keyboard",
    "passenger",
    "Secretary",
    "pinned",
    "spin",
    "colour of the card",
    "tank",
    "clavecin",
    "Topic",
  ])("is not seen in %j", (text) => expect(namesSecret(text)).toBe(false));

  test("may be the subject of a choice, which nobody types", () => {
    expect(secretField(form({ rotate: { type: "boolean", title: "Rotate the password?" } })!)).toBeNull();
  });
});

test("a form is flat: other schemas are not shown", () => {
  expect(form({})).toEqual([]);
  for (const schema of [
    { type: "object", properties: {} },
    { type: "array", items: { type: "string" } },
    null,
    { $ref: "http://x" },
  ])
    expect(form({ a: schema })).toBeNull();
  expect(form(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`f${at}`, { type: "string" }])))).toBeNull();
});

test.each([
  [{ type: "integer", minimum: 1, maximum: 9 }, ["3", "0", "10", "2.5", "", "x"], [3]],
  [{ type: "number" }, ["2.5", "1e3", "Infinity", "NaN"], [2.5, 1000]],
  [{ type: "string", minLength: 2, maxLength: 3 }, ["a", "ab", "abcd", "日本語"], ["ab", "日本語"]],
  [{ type: "boolean" }, ["yes", "No", "maybe", "1"], [true, false, true]],
  [{ type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] }, ["Red", "green", "2", "r", "3"], ["r", "g", "g"]],
  [{ type: "string", oneOf: [{ const: "r", title: "Red" }] }, ["Red", "1", "Blue"], ["r", "r"]],
  [
    { type: "array", items: { enum: ["a", "b", "c"] }, maxItems: 2 },
    ["1,3", "a, b", "1,2,3", "9"],
    [
      ["a", "c"],
      ["a", "b"],
    ],
  ],
  [{ type: "array", items: { anyOf: [{ const: "x", title: "The X" }] } }, ["The X"], [["x"]]],
] as const)("answers to %j become values or are asked for again", (schema, said, values) => {
  const [field] = form({ a: schema })!;
  const taken = said.map((each) => valueFrom(field!, each)).flatMap((each) => ("value" in each ? [each.value] : []));
  expect(taken as unknown).toEqual(values);
});

test("defaults answer a form if no field without one is required", () => {
  const fields = { a: { type: "string", default: "x" }, b: { type: "integer", default: 0 }, c: { type: "string" } };
  expect(defaultsOf(form(fields, ["a"])!)).toEqual({ a: "x", b: 0 });
  expect(defaultsOf(form(fields, ["c"])!)).toBeNull();
});

const held = (params: object, more: Partial<Held> = {}): Held => ({
  ...{ how: "stored", requests: { a: { method: "elicitation/create", params: { ...params } } }, state: null },
  ...{ answers: {}, form: null, rounds: 1, notes: [], ...more },
});
const ports = { server: "notes", sample: () => Promise.reject(new Error("no model")) };

test.each([
  "http://example.com/",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "https://google.com@evil.test/",
  "data:text/html,x",
  "not a url",
  `https://a.test/${"x".repeat(3000)}`,
])("a page at %j is declined, and the result says so", async (url) => {
  const step = await advance(ports, held({ mode: "url", url, message: "" }), undefined);
  expect(step).toMatchObject({ kind: "answered", held: { answers: { a: { action: "decline" } } } });
  expect(step.held.notes[0]).toContain("notes asked to open");
});

test("texts of a question are shown with their hidden characters, and are cut", async () => {
  const message = `Hello\u001b[2J\u{e0041}\nAPPROVED ✓ ${"x".repeat(5000)}`;
  const step = await advance(
    ports,
    held({ message, requestedSchema: { properties: { "a\u202e": { type: "boolean" } } } }),
    undefined,
  );
  if (step.kind !== "ask") throw new Error(step.kind);
  expect(step.question).toStartWith("notes (MCP server) asks: Hello");
  expect(step.question).not.toMatch(/[\u001b\u202e\u{e0041}]/u);
  expect(step.question.length).toBeLessThan(2000);
});

test("a server that asks again and again is refused", async () => {
  expect(await advance(ports, held({}, { rounds: 11 }), undefined)).toMatchObject({
    kind: "refused",
    why: "notes asked more than 10 times",
  });
});

test("a request for something else, or for a name that JavaScript has already, is no answer", async () => {
  const other = { ...held({}), requests: { constructor: { method: "tasks/update" } } };
  expect(await advance(ports, other, undefined)).toMatchObject({
    kind: "refused",
    why: "notes asked for tasks/update",
  });
});

test.each(["string", "integer", "number"])(
  "a message that asks for a secret is declined, whatever a field of type %s is called",
  async (type) => {
    const requestedSchema = { properties: { value: { type } } };
    const step = await advance(ports, held({ message: "Enter the PIN of your account", requestedSchema }), undefined);
    expect(step).toMatchObject({ kind: "answered", held: { answers: { a: { action: "decline" } } } });
  },
);
