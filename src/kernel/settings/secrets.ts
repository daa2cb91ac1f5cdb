// Stores secrets: in the keychain of the operating system if it works, else each in its own file with mode 0600. The database holds only the
// location and the first digits of a hash. A file that others can read is refused.

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

/** The keychain of the operating system. All methods throw if there is none. */
export interface Keychain {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** Reference to a secret, stored as text in the database. */
export interface SecretMark {
  readonly at: "keychain" | "file";
  /** The first digits of its SHA-256: enough to tell two keys apart, too few to find one by. */
  readonly sha256: string;
}

export interface Secrets {
  /** Stores the value and returns its reference. */
  put(name: string, value: string): Promise<SecretMark>;
  /** False if the secret is gone. True if the keychain does not answer. */
  has(name: string, mark: SecretMark): Promise<boolean>;
  /** Null when it is gone. */
  read(name: string, mark: SecretMark): Promise<string | null>;
  remove(name: string, mark: SecretMark): Promise<void>;
}

export interface SecretsOptions {
  readonly directory: string;
  readonly keychain: Keychain | null;
  /** New secrets go to files; the keychain is still read. */
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

/** Text for a secret whose value is gone, for example after a restore: backups hold no secrets. */
export function missingSecret(sha256: string): string {
  return `missing (was sha256:${sha256}…)`;
}

/** null if invalid. */
export function markFrom(text: string): SecretMark | null {
  const [, at, sha256] = /^(keychain|file):([0-9a-f]{4})$/.exec(text) ?? [];
  return (at === "keychain" || at === "file") && sha256 !== undefined ? { at, sha256 } : null;
}

// Tests the keychain: a locked or forgetful one counts as absent.
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
  // Do not write through a leftover or planted file or link.
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
  if (!stats.isFile())
    throw new SysError("ECONFIG", `not a regular file, so it cannot hold a secret: ${file}`, [`rm ${file}`]);
  if ((stats.mode & 0o077) !== 0) {
    throw new SysError("ECONFIG", `secret file readable by others: ${file}`, [`chmod 600 ${file}`]);
  }
  return readFileSync(file, "utf8");
}
