// The time zone of this computer: followed while it changes, unless TZ is set.

import { expect, test } from "bun:test";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { localZone } from "../../src/machine/wake/local-zone.ts";
import { scratchDirectory } from "../support/scratch.ts";

test("another link is another zone, applied through TZ; a broken one is none", () => {
  const file = join(scratchDirectory("zone"), "localtime");
  const link = (zone: string) => {
    rmSync(file, { force: true });
    symlinkSync(`/usr/share/zoneinfo/${zone}`, file);
  };
  const env: { [name: string]: string | undefined } = {};
  link("Europe/Berlin");
  const zone = localZone(env, file);
  expect([zone(), env.TZ]).toEqual(["Europe/Berlin", undefined]);
  link("Asia/Tokyo");
  expect([zone(), env.TZ]).toEqual(["Asia/Tokyo", "Asia/Tokyo"]);
  link("Mars/Olympus");
  expect([zone(), env.TZ]).toEqual(["", "Asia/Tokyo"]);
  rmSync(file);
  expect(zone()).toBe("");
});

test("TZ wins", () => {
  expect(localZone({ TZ: "UTC" }, "/nowhere")()).toBe("UTC");
});
