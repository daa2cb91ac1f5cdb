// `sys.bootstrap` for the downloads: fills the objects under public/gsv with the binaries of gsv, their checksums, the installers, and the assets
// of speech. Objects that have the same content stay untouched. Files are streamed and never held in memory whole.

import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { errnoText, SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256Hex } from "../lib/hash.ts";
import { quoted } from "../lib/text/quote.ts";
import { clip } from "../lib/text/truncate.ts";
import type { ObjectStore } from "../objects/objects.ts";
import type { Mirrored, MirroredFile, MirrorRequest } from "../syscalls/system/bootstrap.ts";
import installPs1 from "./install/install.ps1" with { type: "text" };
import installSh from "./install/install.sh" with { type: "text" };
import { CHANNEL, CHANNEL_NAME, DOWNLOADS, defaultChannel, TTS } from "./public.ts";
import { isRelease, withRelease } from "./release.ts";

export interface BootstrapPorts {
  readonly objects: Pick<ObjectStore, "head" | "put" | "read">;
  readonly clock: Clock;
  readonly isPersonOfHome: (uid: number) => Promise<boolean>;
  /** A free path for the files of a release. */
  readonly temporary: () => string;
  /** The compiled program that runs, and its name among the downloads; null if gsv runs from its sources. */
  readonly binary: { readonly path: string; readonly name: string } | null;
}

interface Content {
  readonly key: string;
  /** Calls open it as often as needed. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** The checksum that came with it, if any. */
  readonly expected?: string;
}

const DEFAULT_CHANNEL = "stable";
const ASSETS = [
  ...["gsv-linux-x64", "gsv-linux-arm64", "gsv-linux-x64-musl", "gsv-linux-arm64-musl"],
  ...["gsv-darwin-x64", "gsv-darwin-arm64", "gsv-windows-x64.exe", "gsv-windows-arm64.exe"],
];
const PIECE_BYTES = 256 * 1024;
const TTS_FILES_MAX = 1000;
const SUM_BYTES_MAX = 4096;

export async function mirror(ports: BootstrapPorts, caller: Caller, request: MirrorRequest): Promise<Mirrored> {
  if (!(await ports.isPersonOfHome(caller.uid)))
    throw new SysError("EPERM", "only the person of this home and root fill the downloads");
  const { from } = request;
  if (from === undefined || !isRelease(from)) return await fill(ports, request);
  const { clock, temporary } = ports;
  const work = (directory: string) => fill(ports, { ...request, from: directory });
  return await withRelease(from, ASSETS, { clock, directory: temporary(), work });
}

async function fill(ports: BootstrapPorts, request: MirrorRequest): Promise<Mirrored> {
  const channel = channelOf(request.channel ?? DEFAULT_CHANNEL);
  const binaries = await binariesFrom(ports, request.from, channel);
  const speech = request.from === undefined ? [] : await speechFrom(join(request.from, "tts"));
  const files: MirroredFile[] = [];
  for (const content of binaries) {
    const stored = await keep(ports, content);
    files.push(
      stored,
      await keep(ports, textAt(`${content.key}.sha256`, `${stored.sha256}  ${nameOf(content.key)}\n`)),
    );
  }
  for (const content of speech) files.push(await keep(ports, content));
  files.push(await keep(ports, textAt(`${DOWNLOADS}install.sh`, installSh)));
  files.push(await keep(ports, textAt(`${DOWNLOADS}install.ps1`, installPs1)));
  if (request.makeDefault || (await ports.objects.head(CHANNEL)) === null)
    files.push(await keep(ports, textAt(CHANNEL, `${channel}\n`)));
  return { defaultChannel: await defaultChannel(ports.objects), mirroredChannels: [channel], assets: files };
}

function channelOf(name: string): string {
  if (CHANNEL_NAME.test(name) && name !== "latest") return name;
  throw new SysError("EINVAL", `not a name of a channel: ${clip(name)}`, ["for example: stable, dev"]);
}

/** This program, unless the directory has one of the same name. */
async function binariesFrom(
  { binary }: BootstrapPorts,
  from: string | undefined,
  channel: string,
): Promise<readonly Content[]> {
  const found = from === undefined ? [] : await assetsIn(from);
  const paths = new Map(found.map((name) => [name, join(from ?? "", name)]));
  if (binary !== null && !paths.has(binary.name)) paths.set(binary.name, binary.path);
  if (paths.size === 0)
    throw new SysError("ENOENT", from === undefined ? "this gsv runs from its sources" : `no gsv in ${quoted(from)}`, [
      "name a directory with files such as gsv-linux-x64: gsv bootstrap --from DIRECTORY",
    ]);
  return await Promise.all(
    [...paths].map(async ([name, path]) => {
      const expected = from === undefined ? null : await sumIn(join(from, `${name}.sha256`));
      const key = `${DOWNLOADS}${channel}/${name}`;
      return { key, bytes: () => piecesOf(path), ...(expected !== null && { expected }) };
    }),
  );
}

async function assetsIn(from: string): Promise<readonly string[]> {
  if (!isAbsolute(from)) throw new SysError("EINVAL", `not an absolute path: ${quoted(from)}`);
  const names = await readdir(from).catch((error: unknown) => {
    throw new SysError("ENOENT", `cannot read the directory ${quoted(from)}: ${errnoText(error)}`);
  });
  return names.filter((name) => ASSETS.includes(name)).sort();
}

/** Null without a file. */
async function sumIn(path: string): Promise<string | null> {
  const text = (await isPlain(path)) ? await Bun.file(path).slice(0, SUM_BYTES_MAX).text() : null;
  if (text === null) return null;
  const sum = /^([0-9a-fA-F]{64})(?:\s|$)/.exec(text)?.[1];
  if (sum === undefined) throw new SysError("EINVAL", `no SHA-256 checksum in ${quoted(path)}`);
  return sum.toLowerCase();
}

async function isPlain(path: string): Promise<boolean> {
  return await lstat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/** Every plain file below the directory; links are skipped. Without a manifest one is made. */
async function speechFrom(directory: string): Promise<readonly Content[]> {
  const paths: string[] = [];
  await collect(directory, "", paths);
  const contents = paths.sort().map((path) => ({ key: TTS + path, bytes: () => piecesOf(join(directory, path)) }));
  if (paths.length === 0 || paths.includes("manifest.json")) return contents;
  const manifest = { assets: paths };
  return [...contents, textAt(`${TTS}manifest.json`, `${JSON.stringify(manifest)}\n`)];
}

async function collect(root: string, below: string, paths: string[]): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) await collect(root, path, paths);
    else if (entry.isFile() && paths.push(path) > TTS_FILES_MAX)
      throw new SysError("EFBIG", `more than ${TTS_FILES_MAX} files in ${quoted(root)}`);
  }
}

function textAt(key: string, text: string): Content {
  return {
    key,
    expected: sha256Hex(text),
    bytes: async function* () {
      yield Buffer.from(text);
    },
  };
}

/** Reads the content once to know its checksum; stores it only if that is new. */
async function keep({ objects, clock }: BootstrapPorts, { key, bytes, expected }: Content): Promise<MirroredFile> {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const piece of bytes()) {
    hash.update(piece);
    size += piece.byteLength;
  }
  const sha256 = hash.digest("hex");
  if (expected !== undefined && expected !== sha256)
    throw new SysError("EINVAL", `${nameOf(key)} does not match its checksum; nothing was stored for it`);
  const before = await objects.head(key);
  const isSame = before?.sha256 === sha256 && before.mode === 0o644;
  const type = "application/octet-stream";
  const own = { uid: 0, gid: 0, mode: 0o644, type, mtimeMs: clock.now(), dirmarker: false, symlink: null };
  const stored = isSame ? before : await objects.put({ key, ...own }, bytes());
  if (stored.sha256 !== sha256)
    throw new SysError("EAGAIN", `${nameOf(key)} changed while it was copied`, ["try again"]);
  return { path: `/${key}`, size, sha256, changed: !isSame };
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  // Not a FIFO, which would block, and not a link, which could publish any file.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
    throw new SysError("EACCES", `cannot read ${quoted(path)}: ${errnoText(error)}`);
  });
  try {
    if (!(await handle.stat()).isFile()) throw new SysError("EINVAL", `not a file: ${quoted(path)}`);
    const buffer = new Uint8Array(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
