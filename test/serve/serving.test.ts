// The listener of a kernel as `gsv serve` opens, moves and closes it: real sockets on loopback, settings in memory.

import { afterEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { separateStores } from "../../fs/memory.ts";
import { settingStored } from "../../src/abi/config/config-key.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import type { ListenOptions } from "../../src/serve/listener.ts";
import { type ServingParts, servingParts } from "../../src/serve/serving.ts";
import type { CallContext } from "../../src/syscalls/define.ts";
import { serveText } from "../../src/syscalls/system/serve.ts";
import { FakeDoor } from "../support/door.ts";
import { listening } from "../support/listening.ts";
import { scratchDirectory } from "../support/scratch.ts";

const TLS = resolve(import.meta.dir, "../golden/tls");
const PERSON = { caller: { uid: 1000 } } as CallContext;

let parts: ServingParts;
afterEach(() => parts.close());

const objects = separateStores(() => 0, 1024 * 1024)(null);

function serving(more: Partial<ListenOptions> = {}, stored: { [key: string]: string } = {}) {
  parts = servingParts({
    rows: {
      under: async () => [],
      async change(changes) {
        for (const { key, value } of changes) stored[settingStored(key, "system") ?? key] = value ?? "";
      },
    },
    clock: realClock,
    isPersonOfHome: async () => true,
    settings: async () => stored,
    listen: () => async (options) =>
      listening(new FakeDoor(), { publicObjects: options.isPublic ? objects : null, ...options, ...more }),
    onFault: () => {},
  });
  return parts.service;
}

describe("files of a certificate that are wrong", () => {
  const directory = scratchDirectory("serving");
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const otherKey = file("other.key", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const junk = file("junk", "no certificate\n");
  const [crt, key] = [`${TLS}/localhost.crt`, `${TLS}/localhost.key`];

  test.each([
    ["no certificate", `${junk},${key}`, `not a PEM certificate: ${junk}`],
    ["no key", `${crt},${junk}`, `not a PEM key without passphrase: ${junk}`],
    ["another key", `${crt},${otherKey}`, `${otherKey} is not the key of the certificate ${crt}`],
    ["no file", `${crt},${directory}/none`, `cannot read ${directory}/none: no such file or directory`],
    ["a directory", `${crt},${directory}`, `cannot read ${directory}: is a directory`],
  ])("%s: the error names the file, and the listener before stays open", async (_what, tls, error) => {
    const service = serving();
    const { url, listen } = await service.start(PERSON, { listen: "127.0.0.1:0" });
    await expect(service.start(PERSON, { listen: listen!, tls })).rejects.toThrow(error);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await service.status()).toMatchObject({ url, fault: null });
  });
});

test("an address of another computer is named, and what listened before stays open", async () => {
  const service = serving();
  const { url } = await service.start(PERSON, { listen: "127.0.0.1:0" });
  const elsewhere = { listen: "203.0.113.5:4870", tls: `${TLS}/localhost.crt,${TLS}/localhost.key` };
  await expect(service.start(PERSON, elsewhere)).rejects.toThrow("not an address of this computer: 203.0.113.5:4870");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test.each(["stop", "start"] as const)("%s gets its answer through the listener that it closes", async (verb) => {
  const change = () => (verb === "stop" ? service.stop(PERSON) : service.start(PERSON, { listen: "127.0.0.1:0" }));
  const sys = { call: change, on: () => () => {}, close: async () => {} } as unknown as Sys;
  const service = serving({ accept: async () => sys });
  const { url } = await service.start(PERSON, { listen: "127.0.0.1:0" });
  const headers = { authorization: "Bearer right" };
  const response = await fetch(`${url}/api/call/serve.${verb}`, { method: "POST", headers });
  expect([response.status, await response.json()]).toEqual([200, await service.status()]);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test("/public is open only where it was asked for, for the next kernel too, until the listener stops", async () => {
  const own = { uid: 0, gid: 0, mode: 0o644, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null };
  await objects.put({ key: "public/a.txt", ...own }, Buffer.from("for everybody"));
  const stored: { [key: string]: string } = {};
  const service = serving({}, stored);
  const listen = (await service.start(PERSON, { listen: "127.0.0.1:0" })).listen!;
  const status = async () => (await fetch(`http://${listen}/public/a.txt`)).status;
  expect([await status(), (await service.status()).public]).toEqual([404, false]);
  expect(serveText(await service.start(PERSON, { public: true }))).toContain("/public is open");
  expect([await status(), await (await fetch(`http://${listen}/public/a.txt`)).text()]).toEqual([200, "for everybody"]);
  await service.start(PERSON, {});
  expect(await status()).toBe(200);
  await parts.close();
  serving({}, stored);
  await parts.begin();
  expect([await status(), (await parts.service.status()).public]).toEqual([200, true]);
  await parts.service.stop(PERSON);
  expect((await parts.service.status()).public).toBe(false);
  expect(Object.values(stored).filter(Boolean)).toEqual([]);
});

test("without a kernel the status says where the next one listens", () => {
  const status = { url: null, clients: 0, listen: "127.0.0.1:4870", fault: null, public: false, fingerprint: null };
  expect(serveText(status)).toBe("not listening: no kernel runs; the next one listens on 127.0.0.1:4870");
  expect(serveText({ ...status, listen: null })).toBe("not listening on the network");
});
