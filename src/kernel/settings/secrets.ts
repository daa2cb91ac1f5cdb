// Where secrets lie: in the keychain of the operating system where it has one that works, else each in a file of its own that only its
// owner can read. The database holds where one lies and four digits of its hash, never the value. A file that others can read is
// refused with the command that mends it.

import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { SysError } from "../../abi/errno.ts";
import { sha256Hex } from "../../lib/hash.ts";

/** The operating system's own store; every method throws where there is none. */
export interface Keychain {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** What the database keeps of a secret, as text. */
export interface SecretMark {
  readonly at: "keychain" | "file";
  /** The first digits of its SHA-256: enough to tell two keys apart, too few to find one by. */
  readonly sha256: string;
}

export interface Secrets {
  /** Puts the value away and returns what to remember of it. */
  put(name: string, value: string): Promise<SecretMark>;
  /** Whether there is something to read; a keychain that does not answer is not held to have lost it. */
  has(name: string, mark: SecretMark): Promise<boolean>;
  /** Null when it is gone. */
  read(name: string, mark: SecretMark): Promise<string | null>;
  remove(name: string, mark: SecretMark): Promise<void>;
}

export interface SecretsOptions {
  readonly directory: string;
  readonly keychain: Keychain | null;
  /** New secrets go to files; what lies in the keychain is still found there. */
  readonly inFiles?: boolean;
}

export function secretsIn({ directory, keychain, inFiles = false }: SecretsOptions): Secrets {
  const fileOf = (name: string) => join(directory, name.replaceAll("/", "."));
  return {
    async put(name, value) {
      const sha256 = fingerprint(value);
      if (keychain !== null && !inFiles && (await keeps(keychain, name, value))) {
        return { at: "keychain", sha256 };
      }
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writePrivate(fileOf(name), value);
      return { at: "file", sha256 };
    },
    async has(name, { at }) {
      if (at === "file") return existsSync(fileOf(name));
      return (
        keychain !== null &&
        (await keychain.get(name).then(
          (value) => value !== null,
          () => true,
        ))
      );
    },
    async read(name, { at }) {
      return at === "keychain" ? ((await keychain?.get(name)) ?? null) : readPrivate(fileOf(name));
    },
    async remove(name, { at }) {
      if (at === "keychain") await keychain?.delete(name);
      else rmSync(fileOf(name), { force: true });
    },
  };
}

export function fingerprint(value: string): string {
  return sha256Hex(value).slice(0, 4);
}

export function shownSecret(sha256: string): string {
  return `set (sha256:${sha256}…)`;
}

/** It was set, and its value is gone: a backup holds none. */
export function missingSecret(sha256: string): string {
  return `missing (was sha256:${sha256}…)`;
}

/** Null for a row that no gsv wrote. */
export function markFrom(text: string): SecretMark | null {
  const [, at, sha256] = /^(keychain|file):([0-9a-f]{4})$/.exec(text) ?? [];
  return (at === "keychain" || at === "file") && sha256 !== undefined ? { at, sha256 } : null;
}

// A keychain that is locked, or that forgets, is none.
async function keeps(keychain: Keychain, name: string, value: string): Promise<boolean> {
  try {
    await keychain.set(name, value);
    return (await keychain.get(name)) === value;
  } catch {
    return false;
  }
}

function writePrivate(file: string, value: string): void {
  const fresh = `${file}.new`;
  // What an earlier attempt left, or somebody planted, is not written through.
  rmSync(fresh, { force: true });
  const descriptor = openSync(fresh, "wx", 0o600);
  try {
    writeFileSync(descriptor, value);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(fresh, file);
}

function readPrivate(file: string): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isFile()) throw new SysError("ECONFIG", `${file} is not a file and cannot hold a secret`, [`rm ${file}`]);
  if ((stats.mode & 0o077) !== 0) {
    throw new SysError("ECONFIG", `others can read ${file}, which holds a secret`, [`chmod 600 ${file}`]);
  }
  return readFileSync(file, "utf8");
}
