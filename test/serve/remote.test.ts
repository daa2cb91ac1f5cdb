// GSV_SERVER and GSV_TOKEN: which values are refused before anything is sent, and that no error prints a secret.

import { expect, test } from "bun:test";
import { remoteSys } from "../../src/client/remote.ts";
import { realClock } from "../../src/lib/clock.ts";
import { seeded } from "../support/random.ts";

function faultOf(server: string, token: string): { code?: string; message: string } {
  const info = { clientId: "c", version: "1.0.0", cwd: "/", env: {} };
  try {
    remoteSys({ env: { GSV_SERVER: server, GSV_TOKEN: token }, info, clock: realClock, random: seeded(1).bytes });
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
