// Storage of secrets: a working keychain, otherwise files, never both. The value is stored nowhere else.

import { afterEach, expect, test } from "bun:test";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Keychain, markFrom, secretsIn } from "../../src/kernel/settings/secrets.ts";
import { answering } from "../../src/machine/keychain.ts";
import { FakeClock } from "../support/clock.ts";
import { rejection } from "../support/refusal.ts";

const made: string[] = [];
const NAME = "users/1000/ai/api_key";
const VALUE = "sk-canary-0123456789";

function place(): string {
  const directory = mkdtempSync(join(tmpdir(), "gsv-secrets-"));
  made.push(directory);
  return join(directory, "secrets");
}

afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

class MemoryKeychain implements Keychain {
  readonly values = new Map<string, string>();
  forgets = false;

  async get(name: string): Promise<string | null> {
    return this.values.get(name) ?? null;
  }
  async set(name: string, value: string): Promise<void> {
    if (!this.forgets) this.values.set(name, value);
  }
  async delete(name: string): Promise<void> {
    this.values.delete(name);
  }
}

const broken: Keychain = {
  get: () => Promise.reject(new Error("no keychain here")),
  set: () => Promise.reject(new Error("no keychain here")),
  delete: () => Promise.reject(new Error("no keychain here")),
};

test("a working keychain holds the secret, and no file does", async () => {
  const directory = place();
  const keychain = new MemoryKeychain();
  const secrets = secretsIn({ directory, keychain });
  const mark = await secrets.put(NAME, VALUE);
  expect(mark.at).toBe("keychain");
  expect([...keychain.values]).toEqual([[NAME, VALUE]]);
  expect(await secrets.read(NAME, mark)).toBe(VALUE);
  await secrets.remove(NAME, mark);
  expect(keychain.values.size).toBe(0);
});

test.each(["that is missing", "that forgets"])(
  "with a keychain %s, the secret is in a file that only its owner can read",
  async (how) => {
    const directory = place();
    const forgetful = new MemoryKeychain();
    forgetful.forgets = true;
    const secrets = secretsIn({ directory, keychain: how === "that forgets" ? forgetful : broken });
    const mark = await secrets.put(NAME, VALUE);
    expect(mark.at).toBe("file");
    expect(await secrets.read(NAME, mark)).toBe(VALUE);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const [file = ""] = readdirSync(directory);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    await secrets.remove(NAME, mark);
    expect(readdirSync(directory)).toEqual([]);
    expect(await secrets.read(NAME, mark)).toBeNull();
  },
);

test("with files configured, new secrets go to files, and those in the keychain are still found and removed", async () => {
  const directory = place();
  const keychain = new MemoryKeychain();
  const before = await secretsIn({ directory, keychain }).put(NAME, VALUE);
  const secrets = secretsIn({ directory, keychain, inFiles: true });
  expect(await secrets.read(NAME, before)).toBe(VALUE);
  const after = await secrets.put(NAME, "another-canary");
  expect(after.at).toBe("file");
  await secrets.remove(NAME, before);
  expect(keychain.values.size).toBe(0);
  expect(await secrets.read(NAME, after)).toBe("another-canary");
});

test("the secret goes to a file if the keychain never answers", async () => {
  const clock = new FakeClock();
  const silent: Keychain = { get: never, set: never, delete: never };
  const secrets = secretsIn({ directory: place(), keychain: answering(silent, clock) });
  const put = secrets.put(NAME, VALUE);
  await clock.advance(3000);
  expect((await put).at).toBe("file");
});

function never(): Promise<never> {
  return new Promise(() => {});
}

test("a write does not follow a planted link, and a read refuses it", async () => {
  const directory = place();
  const secrets = secretsIn({ directory, keychain: null });
  const mark = await secrets.put(NAME, VALUE);
  const [file = ""] = readdirSync(directory);
  const elsewhere = join(directory, "..", "elsewhere");
  writeFileSync(elsewhere, "untouched");
  rmSync(join(directory, file));
  symlinkSync(elsewhere, join(directory, file));
  symlinkSync(elsewhere, join(directory, `${file}.new`));
  expect((await rejection(secrets.read(NAME, mark))).code).toBe("ECONFIG");
  await secrets.put(NAME, "another-canary");
  expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
  expect(await secrets.read(NAME, mark)).toBe("another-canary");
});

test("a secrets file that others can read is refused with the command to fix it", async () => {
  const directory = place();
  const secrets = secretsIn({ directory, keychain: null });
  const mark = await secrets.put(NAME, VALUE);
  const file = join(directory, readdirSync(directory)[0] ?? "");
  for (const mode of [0o640, 0o604, 0o644]) {
    chmodSync(file, mode);
    const refused = await rejection(secrets.read(NAME, mark));
    expect([refused.code, refused.hints]).toEqual(["ECONFIG", [`chmod 600 ${file}`]]);
  }
});

test("the database holds the secret's location and last four digits; anything else there is no secret", async () => {
  const { at, sha256 } = await secretsIn({ directory: place(), keychain: null }).put(NAME, VALUE);
  expect(markFrom(`${at}:${sha256}`)).toEqual({ at, sha256 });
  for (const text of ["", VALUE, "file:", "file:xyz1", "elsewhere:0a1b", "file:0a1b2"])
    expect(markFrom(text)).toBeNull();
});
