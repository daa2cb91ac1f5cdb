// A known secret is found in every notation; everything else stays unchanged.

import { describe, expect, test } from "bun:test";
import { Redactor } from "../../src/lib/text/redact.ts";
import { formsOf } from "../support/canaries.ts";
import { seeded } from "../support/random.ts";

const ALPHABET = [..."abcXYZ019-_.~+/=&?% \"'\\!()*ü漢🙂\n\t"];

describe("a known secret", () => {
  test("is redacted in every encoding, alone and inside of other text", () => {
    const seed = 7;
    const random = seeded(seed);
    for (let round = 0; round < 300; round++) {
      const secret = Array.from({ length: 8 + random.int(40) }, () => random.pick(ALPHABET)).join("");
      const redactor = new Redactor();
      redactor.add(secret);
      for (const form of formsOf(secret)) {
        const clean = redactor.known(`before ${form} after`);
        expect({ seed, round, secret, form, clean }).toEqual({
          seed,
          round,
          secret,
          form,
          clean: "before [redacted] after",
        });
      }
    }
  });

  test("is redacted in base64 of a text around it, at any offset", () => {
    const secret = "canary-0123456789-end";
    const redactor = new Redactor();
    redactor.add(secret);
    for (const before of ["", "u", "us", "sam:", "user:"]) {
      for (const after of ["", "!", ":x"]) {
        const clean = redactor.known(Buffer.from(before + secret + after).toString("base64"));
        expect(clean).toContain("[redacted]");
        expect(Buffer.from(clean.replace("[redacted]", ""), "base64").toString()).not.toContain(secret.slice(2, -2));
      }
    }
  });

  test("is redacted before a long line is cut, so no part of it stays", () => {
    const secret = "canary-".repeat(20);
    const redactor = new Redactor();
    redactor.add(secret);
    const line = redactor.line({ text: `${"x".repeat(1990)}${secret}` });
    expect(line).not.toContain("canary");
    expect(redactor.line("x".repeat(5000)).length).toBe(2048);
  });

  test("that contains another one is redacted as a whole", () => {
    const redactor = new Redactor();
    redactor.add("secret-1");
    redactor.add("secret-1-and-more");
    expect(redactor.known("a secret-1-and-more b secret-1")).toBe("a [redacted] b [redacted]");
  });
});

test("a value as short as a word is no secret, and other text stays unchanged", () => {
  const redactor = new Redactor();
  redactor.add("the");
  redactor.add("");
  redactor.add("canary-0123456789");
  const text = "the quick brown fox, 100 %, path=/home/sam";
  expect(redactor.known(text)).toBe(text);
});

test("text that looks like a key, a token or a password is redacted", () => {
  const { text } = { text: (line: string) => new Redactor().text(line) };
  for (const line of [
    "sk-abcdefghijklmnop",
    "Bearer abcdefghijklmn",
    "https://sam:hunter22@example.org/",
    'password="hunter22"',
    "api_key: hunter22",
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
  ]) {
    expect(text(line)).toContain("[redacted]");
    expect(text(line)).not.toContain("hunter22");
  }
});

test("secrets inside JSON are redacted, however deep, and the JSON stays valid", () => {
  for (const said of ['password = "hunter22"\nnext', "token: 'hunter22'", 'secret="hun\\ter22x"'])
    for (let text = said, depth = 0; depth < 3; depth++) {
      text = JSON.stringify({ text });
      const clean = new Redactor().text(text);
      expect([clean, clean.includes("hunter22") || clean.includes("ter22x")]).toEqual([clean, false]);
      let whole: { text: string } = JSON.parse(clean);
      for (let inner = 0; inner < depth; inner++) whole = JSON.parse(whole.text);
      expect(whole.text).toContain("[redacted]");
    }
});
