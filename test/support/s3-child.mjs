// Run in a process of its own: an S3 server over a directory, on a port of its choosing, which it says on stdout.

import crypto from "node:crypto";
import S3rver from "s3rver";
import account from "s3rver/lib/models/account.js";

// It hides where a page of a list ended with a cipher that is in no library any more. Nobody here asks what it says.
crypto.createCipheriv = () => ({ update: (text) => Buffer.from(text), final: () => Buffer.alloc(0) });

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
