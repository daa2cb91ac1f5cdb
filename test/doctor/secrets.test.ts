// Secrets that are set without a value, as after a restore: the doctor and `config` report it with the command to type, and never a value.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doctorOf } from "../../src/doctor/examine.ts";
import type { SettingInfo } from "../../src/syscalls/services.ts";
import { TestKernel } from "../support/kernel.ts";
import { Bed } from "../support/patient.ts";

const SECRET = "sk-canary-doctor-0123456789";
const FILE = "users.1000.ai.api_key";

test("each missing value is reported with the command to set it, until it is set", async () => {
  using bed = await Bed.make();
  await bed.home.start();
  await bed.home.sys.call("config.set", { key: "ai.apiKey", value: SECRET });
  await bed.home.person(0).call("config.set", { key: "apiKeys.openai", value: SECRET, system: true });
  await bed.rest();
  expect(await bed.look("secrets")).toEqual(["ok secrets: all secrets have a value"]);
  rmSync(bed.paths.secretsDir, { recursive: true });
  const found = await doctorOf(await bed.patient()).examine({ checks: ["secrets"], fix: false });
  expect(found.map(({ what, fix }) => [what, fix])).toEqual([
    [
      "the value of the secret apiKeys.openai of the whole home is missing",
      "gsv config set --system apiKeys.openai --user root",
    ],
    ["the value of the secret ai.apiKey of sam is missing", "gsv config set ai.apiKey"],
  ]);
  await bed.home.start();
  await bed.home.sys.call("config.set", { key: "ai.apiKey", value: SECRET });
  await bed.home.person(0).call("config.unset", { key: "apiKeys.openai", system: true });
  await bed.rest();
  expect(await bed.look("secrets")).toEqual(["ok secrets: all secrets have a value"]);
});

test("a home without secrets, without a kernel.db or with a broken one has no finding", async () => {
  using bed = await Bed.make();
  expect(await bed.look("secrets")).toEqual([]);
  writeFileSync(bed.paths.kernelDb, "rubbish ".repeat(1000));
  expect(await bed.look("secrets")).toEqual([]);
  rmSync(bed.paths.kernelDb);
  expect(await bed.look("secrets")).toEqual([]);
});

test("config shows a missing value, and the next layer applies", async () => {
  await using home = await TestKernel.boot();
  const get = () => home.sys.call<SettingInfo>("config.get", { key: "ai.apiKey" });
  await home.sys.call("config.set", { key: "ai.apiKey", value: SECRET });
  const { shown } = await get();
  rmSync(join(home.paths.secretsDir, FILE));
  const gone = await get();
  expect(gone).toMatchObject({ shown: shown.replace("set (", "missing (was "), layer: "user" });
  const { settings } = await home.sys.call<{ settings: SettingInfo[] }>("config.list", { under: "ai.apiKey" });
  expect(settings).toEqual([gone]);
  await home.person(0).call("config.set", { key: "ai.apiKey", value: `${SECRET}-home`, system: true });
  const now = await get();
  expect(now).toMatchObject({ layer: "system", shown: expect.stringContaining("set (sha256:") });
  expect(now.layers.map((each) => each.layer)).toEqual(["default", "system", "user"]);
  expect(now.layers.at(-1)?.shown).toStartWith("missing");
});
