// Run in a process of its own: an S3 server over a directory, on a port of its choosing, which it says on stdout.

import crypto from "node:crypto";
import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import S3rver from "s3rver";
import account from "s3rver/lib/models/account.js";
import FilesystemStore from "s3rver/lib/stores/filesystem.js";

// It hides where a page of a list ended with a cipher that is in no library any more. Nobody here asks what it says.
crypto.createCipheriv = () => ({ update: (text) => Buffer.from(text), final: () => Buffer.alloc(0) });

// It answers a PUT before the last of it is in the file, and a GET right after that finds less. A real one does not.
const { putObject } = FilesystemStore.prototype;
FilesystemStore.prototype.putObject = async function (object) {
  const stored = await putObject.call(this, object);
  const path = this.getResourcePath(object.bucket, object.key, "object");
  // It may not even be there yet, and another PUT of the same key may have taken its place.
  const sizeNow = async () => (await stat(path).catch(() => null))?.size;
  for (let tries = 0; tries < 100 && (await sizeNow()) !== stored.size; tries++) await sleep(1);
  return stored;
};

const [directory, bucket, id, secret] = process.argv.slice(2);
account.DUMMY_ACCOUNT.createKeyPair(id, secret);
const server = new S3rver({
  address: "127.0.0.1",
  port: 0,
  silent: true,
  directory,
  vhostBuckets: false,
  configureBuckets: [{ name: bucket }],
});
console.log(JSON.stringify(await server.run()));
