// GSV_SERVER and GSV_TOKEN: which values are refused before anything is sent, and that no error prints a secret.

import { expect, test } from "bun:test";
import { remoteServer } from "../../src/client/remotes/server.ts";
import { realClock } from "../../src/lib/clock.ts";
import { openRemoteSys } from "../../src/rpc/remote.ts";
import { classOf, FakeDoor, info } from "../support/door.ts";
import { listening, serverAt } from "../support/listening.ts";
import { seeded } from "../support/random.ts";
import { TLS } from "../support/tls.ts";

function faultOf(server: string, token: string): { code?: string; message: string } {
  try {
    remoteServer({ GSV_SERVER: server, GSV_TOKEN: token }, null);
    return { message: "accepted" };
  } catch (error) {
    return error as { code: string; message: string };
  }
}

const HERE = "http://127.0.0.1:4870";

test.each([
  ["junk", "t", "ECONFIG", "not an address of a server: junk"],
  ["ftp://127.0.0.1", "t", "ECONFIG", "not an address of a server"],
  [`${HERE}/path`, "t", "ECONFIG", "not an address of a server"],
  ["http://gsv.example", "t", "ECONFIG", "would send the token unencrypted"],
  [HERE, "", "EAUTH", "needs a token in GSV_TOKEN"],
  [HERE, "two words", "EAUTH", "GSV_TOKEN is not a token"],
  [HERE, "two\nlines", "EAUTH", "GSV_TOKEN is not a token"],
  [HERE, "tökén", "EAUTH", "GSV_TOKEN is not a token"],
])("GSV_SERVER=%s GSV_TOKEN=%s is refused", (server, token, code, message) => {
  expect(faultOf(server, token)).toMatchObject({ code, message: expect.stringContaining(message) });
});

test("a password in the address is refused and not printed", () => {
  const fault = faultOf("https://sam:hunter2@gsv.example", "t");
  expect(fault).toMatchObject({ code: "ECONFIG", message: "GSV_SERVER must not contain a name or a password" });
  expect(JSON.stringify(fault)).not.toContain("hunter2");
});

test.each([
  ["a certificate that nobody vouches for", { tls: TLS }, /^https:/, "https:", "cannot verify the certificate of"],
  ["a server without TLS", {}, /^http:/, "https:", "no TLS at"],
  ["a name that is not served", {}, "127.0.0.1", "0.0.0.0", "does not accept this name"],
])("%s is named at once instead of dialled again", async (_what, more, from, to, message) => {
  const listener = listening(new FakeDoor(), { at: "127.0.0.1:0", ...more });
  const url = listener.url.replace(from, to);
  const random = seeded(1).bytes;
  const sys = openRemoteSys({
    ...{ server: serverAt(url), proxy: null, info: info(), clock: realClock, random },
    classOf: async (name) => classOf(name),
  });
  const fault = await sys.call("echo", {}).catch((error: Error) => error);
  expect(fault).toMatchObject({ code: "ECONFIG", message: expect.stringContaining(message) });
  await sys.close();
  await listener.close();
});
