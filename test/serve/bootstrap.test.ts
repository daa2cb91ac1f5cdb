// Filling the downloads: names, checksums and installers as the storage reference has them, once, from plain files only.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { separateStores } from "../../fs/memory.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import type { ObjectStore } from "../../src/objects/objects.ts";
import { assetName } from "../../src/serve/asset-name.ts";
import { mirror } from "../../src/serve/bootstrap.ts";
import type { BootstrapAnswer } from "../../src/syscalls/system/bootstrap.ts";
import { bob, sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";
import { codeOf, rejection } from "../support/refusal.ts";
import { scratchDirectory } from "../support/scratch.ts";

const CLI = "public/gsv/downloads/cli";
const scratch = scratchDirectory("bootstrap");
afterAll(() => rmSync(scratch, { recursive: true }));

let objects: ObjectStore;
let from: string;
beforeEach(() => {
  objects = separateStores(() => 0, 16 * 1024 * 1024)(null);
  from = mkdtempSync(join(scratch, "d-"));
});

function file(path: string, text: string): string {
  const full = join(from, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

function run(request: { from?: string; channel?: string; makeDefault?: boolean }, caller = sam) {
  const own = join(scratch, "own");
  writeFileSync(own, "this program");
  const ports = { objects, clock: new FakeClock(), isPersonOfHome: async (asked: number) => asked === sam.uid };
  const binary = { path: own, name: "gsv-linux-x64" };
  return mirror({ ...ports, binary, temporary: () => join(scratch, "release") }, caller, {
    makeDefault: false,
    ...request,
  });
}

async function textAt(key: string): Promise<string | null> {
  const meta = await objects.head(key);
  return meta && Buffer.from(await objects.read(key, { offset: 0, bytesMax: meta.size })).toString();
}

async function keys(): Promise<string[]> {
  return (await objects.page("", null, 100)).map(({ key }) => key);
}

test("without a directory it offers this very program, its checksum and the installers", async () => {
  const { defaultChannel, mirroredChannels, assets } = await run({});
  expect([defaultChannel, mirroredChannels]).toEqual(["stable", ["stable"]]);
  expect(await keys()).toEqual([
    `${CLI}/default-channel.txt`,
    `${CLI}/install.ps1`,
    `${CLI}/install.sh`,
    `${CLI}/stable/gsv-linux-x64`,
    `${CLI}/stable/gsv-linux-x64.sha256`,
  ]);
  expect(await textAt(`${CLI}/stable/gsv-linux-x64.sha256`)).toBe(`${sha256Hex("this program")}  gsv-linux-x64\n`);
  expect(await textAt(`${CLI}/default-channel.txt`)).toBe("stable\n");
  expect(assets.every(({ changed }) => changed)).toBe(true);
  expect(await objects.head(`${CLI}/install.sh`)).toMatchObject({ uid: 0, mode: 0o644 });
});

test("a second time changes nothing, and stores only what is new", async () => {
  await run({});
  expect((await run({})).assets.filter(({ changed }) => changed)).toEqual([]);
  file("gsv-darwin-arm64", "for a mac");
  const { assets } = await run({ from });
  expect(assets.filter(({ changed }) => changed).map(({ path }) => path)).toEqual([
    `/${CLI}/stable/gsv-darwin-arm64`,
    `/${CLI}/stable/gsv-darwin-arm64.sha256`,
  ]);
});

test("a directory gives binaries by their names; the one of this computer wins over this program", async () => {
  for (const name of ["gsv-linux-x64", "gsv-linux-arm64-musl", "gsv-windows-x64.exe"]) file(name, `${name} there`);
  for (const name of ["gsv", "gsv-linux-x64.zip", "gsv-linux-mips", "notes.txt", "id_rsa"]) file(name, "secret");
  const { assets } = await run({ from, channel: "dev" });
  const named = assets.map(({ path }) => path).filter((path) => path.includes("/dev/") && !path.endsWith(".sha256"));
  expect(named.map((path) => path.slice(path.lastIndexOf("/") + 1))).toEqual([
    "gsv-linux-arm64-musl",
    "gsv-linux-x64",
    "gsv-windows-x64.exe",
  ]);
  expect(await textAt(`${CLI}/dev/gsv-linux-x64`)).toBe("gsv-linux-x64 there");
});

test("a second channel leaves the default as it is, unless asked", async () => {
  await run({});
  expect((await run({ channel: "dev" })).defaultChannel).toBe("stable");
  expect((await run({ channel: "dev", makeDefault: true })).defaultChannel).toBe("dev");
});

test("a checksum that came with a binary is checked", async () => {
  file("gsv-linux-arm64", "good");
  file("gsv-linux-arm64.sha256", `${sha256Hex("good")}  gsv-linux-arm64\n`);
  await run({ from });
  file("gsv-linux-arm64", "changed on the way");
  expect((await rejection(run({ from }))).message).toContain("gsv-linux-arm64 does not match its checksum");
  expect(await textAt(`${CLI}/stable/gsv-linux-arm64`)).toBe("good");
  file("gsv-linux-arm64.sha256", "no checksum");
  expect(await codeOf(run({ from }))).toBe("EINVAL");
});

test("the assets of speech are copied as they lie, with a manifest if there is none", async () => {
  file("tts/onnxruntime-web/1.26.0/ort.min.mjs", "export {}");
  file("tts/piper-voices/main/en/voice.onnx", "model");
  file("tts/.hidden", "secret");
  await run({ from });
  const tts = (await keys()).filter((key) => key.startsWith("public/gsv/assets/"));
  expect(tts).toEqual([
    "public/gsv/assets/tts/manifest.json",
    "public/gsv/assets/tts/onnxruntime-web/1.26.0/ort.min.mjs",
    "public/gsv/assets/tts/piper-voices/main/en/voice.onnx",
  ]);
  expect(JSON.parse((await textAt("public/gsv/assets/tts/manifest.json")) ?? "")).toEqual({
    assets: ["onnxruntime-web/1.26.0/ort.min.mjs", "piper-voices/main/en/voice.onnx"],
  });
});

test("links are never followed: what they lead to was not meant to be public", async () => {
  const secret = file("secret", "secret");
  symlinkSync(secret, join(from, "gsv-linux-x64"));
  file("tts/a.wasm", "a");
  symlinkSync(secret, join(from, "tts", "b.wasm"));
  expect(await codeOf(run({ from }))).toBe("EACCES");
  expect((await keys()).join()).not.toContain("b.wasm");
});

test.each([
  ["../x", "EINVAL"],
  ["a/b", "EINVAL"],
  ["latest", "EINVAL"],
  [".hidden", "EINVAL"],
  ["", "EINVAL"],
])("%p is no name of a channel", async (channel, code) => {
  expect(await codeOf(run({ channel }))).toBe(code);
});

test("a directory that cannot be read is named, and nothing is stored", async () => {
  expect((await rejection(run({ from: join(from, "none") }))).message).toContain("no such file or directory");
  expect(await codeOf(run({ from: "relative" }))).toBe("EINVAL");
  expect(await keys()).toEqual([]);
});

test("only the person of the home and root fill it", async () => {
  expect(await codeOf(run({}, bob))).toBe("EPERM");
  expect(await keys()).toEqual([]);
});

describe("a release at an address", () => {
  let server: ReturnType<typeof Bun.serve>;
  const files = new Map<string, string>();
  beforeAll(() => {
    server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0, development: false },
      fetch({ url }) {
        const text = files.get(new URL(url).pathname);
        return text === undefined ? new Response("none", { status: 404 }) : new Response(text);
      },
    });
  });
  afterAll(() => server.stop(true));
  const offer = (name: string, text: string, sum = sha256Hex(text)) => {
    files.set(`/cli/${name}`, text);
    files.set(`/cli/${name}.sha256`, `${sum}  ${name}\n`);
  };
  const release = () => `http://127.0.0.1:${server.port}/cli/`;

  test("gives the binaries that it has, with their checksums", async () => {
    files.clear();
    offer("gsv-darwin-arm64", "for a mac");
    files.set("/cli/gsv-darwin-x64", "without a checksum");
    await run({ from: release() });
    const named = (await keys()).filter((key) => key.includes("/stable/") && !key.endsWith(".sha256"));
    expect(named).toEqual([`${CLI}/stable/gsv-darwin-arm64`, `${CLI}/stable/gsv-linux-x64`]);
    expect(await textAt(`${CLI}/stable/gsv-darwin-arm64`)).toBe("for a mac");
    expect(existsSync(join(scratch, "release"))).toBe(false);
  });

  test("with a wrong checksum stores nothing of it, and leaves no file behind", async () => {
    files.clear();
    offer("gsv-darwin-arm64", "changed", sha256Hex("good"));
    expect((await rejection(run({ from: release() }))).message).toContain("does not match its checksum");
    expect(await textAt(`${CLI}/stable/gsv-darwin-arm64`)).toBeNull();
    expect(existsSync(join(scratch, "release"))).toBe(false);
  });

  test.each([
    ["http://gsv.example/cli", "a release needs https"],
    ["https://me:secret@gsv.example/cli", "not an address of a release"],
    ["https://gsv.example/cli?token=secret", "not an address of a release"],
  ])("%s is refused before anything is asked for", async (address, error) => {
    expect((await rejection(run({ from: address }))).message).toContain(error);
  });

  test("that is not reachable is named", async () => {
    const gone = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const address = `http://127.0.0.1:${gone.port}/cli`;
    await gone.stop(true);
    expect(await rejection(run({ from: address }))).toMatchObject({
      code: "EAGAIN",
      message: expect.stringContaining(`cannot fetch ${address}`),
    });
  });
});

test("the call offers them to everybody, for the person of the home and root, and for no process", async () => {
  await using home = await TestKernel.boot();
  file("gsv-linux-arm64", "for another computer");
  const asked = { downloads: true, from };
  const { cli } = await home.sys.call<BootstrapAnswer>("sys.bootstrap", asked);
  expect(cli?.assets.map(({ path }) => path)).toContain(`/${CLI}/stable/gsv-linux-arm64`);
  const stat = await home.sys.call("fs.stat", { path: `/${CLI}/stable/gsv-linux-arm64` });
  expect(stat).toMatchObject({ owner: "root", mode: "0644", size: 20 });
  const again = await home.person(0).call<BootstrapAnswer>("sys.bootstrap", asked);
  expect(again.cli?.assets.some(({ changed }) => changed)).toBe(false);
  const other = await addHuman(home, "bob");
  expect(await codeOf(other.sys.call("sys.bootstrap", asked))).toBe("EPERM");
  expect(await codeOf((await home.insideOf(INIT)).call("sys.bootstrap", asked))).toBe("EPERM");
  expect(await home.sys.call<BootstrapAnswer>("sys.bootstrap", {})).toMatchObject({ cli: null });
});

test.each([
  [{ platform: "linux", arch: "x64", isMusl: false }, "gsv-linux-x64"],
  [{ platform: "linux", arch: "arm64", isMusl: true }, "gsv-linux-arm64-musl"],
  [{ platform: "darwin", arch: "arm64", isMusl: false }, "gsv-darwin-arm64"],
  [{ platform: "win32", arch: "x64", isMusl: false }, "gsv-windows-x64.exe"],
])("a gsv for %p is named %s", (build, name) => {
  expect(assetName(build)).toBe(name);
});
