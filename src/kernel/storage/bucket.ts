// Connects to the bucket of the settings, with its keys from the secrets. Loaded only for S3.

import { join } from "node:path";
import { SETTINGS, type SettingName } from "../../abi/config/config.ts";
import { storedKey } from "../../abi/config/config-key.ts";
import { resolveSetting } from "../../abi/config/config-value.ts";
import { SysError } from "../../abi/errno.ts";
import type { RandomBytes } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Bucket, type BucketSettings, bucketOf } from "../../objects/bucket.ts";
import { TEMPORARIES } from "../../objects/keys.ts";
import type { Bytes, ObjectRows, StoredObjects } from "../../objects/objects.ts";
import { s3Objects } from "../../objects/s3.ts";
import { s3Bytes } from "../../objects/s3-bytes.ts";
import type { ConfigRows } from "../../store/kernel/config.ts";
import { type Keychain, markFrom, secretsIn } from "../settings/secrets.ts";

export interface StorageMachine {
  readonly paths: { readonly objectsDir: string; readonly secretsDir: string };
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly config: Pick<ConfigRows, "under">;
  /** May hold the keys of a bucket. */
  readonly keychain: Keychain | null;
}

type Stored = ReadonlyMap<string, string>;

export async function objectsInBucket(machine: StorageMachine, rows: ObjectRows): Promise<StoredObjects> {
  const { paths, clock, random } = machine;
  return s3Objects({ ...(await bucketIn(machine)), directory: paths.objectsDir, rows, clock, random });
}

export async function bytesInBucket(machine: StorageMachine): Promise<Bytes> {
  return s3Bytes({ ...(await bucketIn(machine)), temporaries: join(machine.paths.objectsDir, TEMPORARIES) });
}

/** Missing or wrong settings are reported by the first request, so that a kernel starts and they can be fixed. */
async function bucketIn({ paths, clock, random, config, keychain }: StorageMachine) {
  const stored: Stored = new Map((await config.under("config/storage/")).map(({ key, value }) => [key, value]));
  const named = settingsIn(stored);
  const secrets = secretsIn({ directory: paths.secretsDir, keychain });
  const secretOf = async (name: SettingName) => {
    const key = storedKey(name, "system");
    const mark = markFrom(stored.get(key) ?? "");
    const value = mark === null ? null : await secrets.read(key, mark);
    if (value === null || value === "")
      throw new SysError("EAUTH", `${name} is not set: without it nothing in the bucket can be reached`, [
        `gsv config set --system ${name} --user root`,
      ]);
    return value;
  };
  let made: Promise<Bucket> | null = null;
  const open = async () => {
    if (named.endpoint === "")
      throw new SysError("ECONFIG", "storage.s3.endpoint is not set: where is the object store?", [
        "gsv config set --system storage.s3.endpoint http://HOST:PORT --user root",
      ]);
    const accessKeyId = await secretOf("storage.s3.accessKeyId");
    const secretAccessKey = await secretOf("storage.s3.secretAccessKey");
    return bucketOf({ ...named, accessKeyId, secretAccessKey, clock, random });
  };
  return {
    place: `s3://${named.bucket}/${named.prefix} at ${named.endpoint || "(no endpoint)"}`,
    bucket: () => {
      made ??= open().catch((error: unknown) => {
        made = null;
        throw error;
      });
      return made;
    },
  };
}

function settingsIn(stored: Stored): Omit<BucketSettings, "accessKeyId" | "secretAccessKey"> {
  const text = (name: SettingName) =>
    resolveSetting(name, SETTINGS[name], { system: stored.get(storedKey(name, "system")) }).text;
  const prefix = text("storage.s3.prefix").replace(/^\/+|\/+$/g, "");
  return {
    endpoint: text("storage.s3.endpoint"),
    bucket: text("storage.s3.bucket"),
    region: text("storage.s3.region"),
    prefix: prefix === "" ? "" : `${prefix}/`,
  };
}
