// The service behind fs.stat, fs.list, fs.get, fs.put, fs.mkdir and others, used by `gsv ls`, `cp` and `mv`. Each change is one verb of the
// namespace, stored with its receipt, so that a repeated call runs once. Names of owners and groups are looked up here only. The agents'
// file tools are in files.ts.

import type { Entry, Stat } from "../../../fs/filesystem.ts";
import { base, normalise } from "../../../fs/path.ts";
import { SysError } from "../../abi/errno.ts";
import { ID_MAX } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import type { TemporaryBytes } from "../../lib/memory/growing-bytes.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { FileEntry, FileTree } from "../../syscalls/fs/fs-tree.ts";
import type { ReceiptContext } from "../dispatch.ts";
import { pathsFor } from "./file-paths.ts";
import { type FilesOptions, saying, withReceipt } from "./files.ts";
import { Uploads } from "./uploads.ts";

/** Accounts and groups by number and by name; null if unknown. */
export interface Names {
  owner(uid: number): Promise<string | null>;
  group(gid: number): Promise<string | null>;
  uidOf(name: string): Promise<number | null>;
  gidOf(name: string): Promise<number | null>;
}

export interface TreeOptions extends FilesOptions {
  readonly names: Names;
  readonly clock: Clock;
  /** For uploads; missing without a kernel. */
  readonly temporary?: TemporaryBytes;
}

const PAGE_BYTES_MAX = 512 * 1024;

export function treeService({ namespace, homeOf, names, clock, temporary }: TreeOptions): FileTree {
  const absolute = pathsFor(homeOf);
  const uploads = new Uploads(clock, temporary);

  return {
    async stat(caller, { path: typed, follow }) {
      const path = await absolute(caller, typed);
      return await saying("access", async () => {
        const stat = await (follow ? namespace.stat(caller, path) : namespace.lstat(caller, path));
        const where = follow ? await namespace.resolve(caller, path) : normalise(path);
        const { version, contentType } = stat;
        const entry = await entryOf({ name: base(where) || "/", stat }, namesOnce(names));
        return { ...entry, path: where, version, ...(contentType === undefined ? {} : { contentType }) };
      });
    },

    async list(caller, { path: typed, after, limit }) {
      const path = await absolute(caller, typed);
      return await saying("list", async () => {
        const known = namesOnce(names);
        const all = await namespace.list(caller, path);
        const from = after === undefined ? 0 : all.findIndex(({ name }) => name > after);
        const page: FileEntry[] = [];
        let bytes = 0;
        for (const entry of from === -1 ? [] : all.slice(from, from + limit)) {
          const row = await entryOf(entry, known);
          bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
          if (bytes > PAGE_BYTES_MAX && page.length > 0) break;
          page.push(row);
        }
        const more = from !== -1 && from + page.length < all.length;
        return { path: normalise(path), entries: page, next: more ? (page.at(-1)?.name ?? null) : null };
      });
    },

    async get(caller, { path: typed, offset, bytes: bytesMax }) {
      const path = await absolute(caller, typed);
      return await saying("read", async () => {
        const { bytes, eof, version } = await namespace.read(caller, path, { offset, bytesMax });
        return { data: Buffer.from(bytes).toString("base64"), eof, version };
      });
    },

    async stage(caller, { upload, offset, data, discard }) {
      if (discard === true) uploads.forget(caller, upload);
      return { size: discard === true ? 0 : uploads.stage(caller, { upload, offset, piece: bytesOf(data) }) };
    },

    async put({ caller, receipt }: ReceiptContext, { path: typed, data, upload, at, exclusive, ifVersion, mode }) {
      const path = await absolute(caller, typed);
      if ((data === undefined) === (upload === undefined)) throw new SysError("EINVAL", "give either data or upload");
      const content = upload === undefined ? bytesOf(data ?? "") : uploads.content(caller, upload);
      const bits = mode === undefined ? {} : { mode: modeOf(mode) };
      const version = ifVersion === undefined ? {} : { ifVersion };
      return await saying("write", async () => {
        const answer = {
          path: normalise(path),
          size: content instanceof Uint8Array ? content.byteLength : content.size,
        };
        const options = { at, exclusive, ...version, ...bits, ...withReceipt(receipt, answer) };
        await namespace.write(caller, path, content, options);
        if (upload !== undefined) uploads.forget(caller, upload);
        return answer;
      });
    },

    async mkdir({ caller, receipt }: ReceiptContext, { path: typed, parents, mode }) {
      const path = await absolute(caller, typed);
      const answer = { path: normalise(path) };
      const bits = mode === undefined ? {} : { mode: modeOf(mode) };
      await saying("make", () => namespace.mkdir(caller, path, { parents, ...bits, ...withReceipt(receipt, answer) }));
      return answer;
    },

    async rename({ caller, receipt }: ReceiptContext, { from, to, exclusive }) {
      const [source, target] = [await absolute(caller, from), await absolute(caller, to)];
      const answer = { from: normalise(source), to: normalise(target) };
      await saying("move", async () => {
        if (exclusive && (await stands(() => namespace.lstat(caller, target))))
          throw new SysError("EEXIST", `cannot move ${answer.from}: ${answer.to}: file exists`);
        await namespace.rename(caller, source, target, withReceipt(receipt, answer));
      });
      return answer;
    },

    async link({ caller, receipt }: ReceiptContext, { path: typed, target }) {
      const path = await absolute(caller, typed);
      const answer = { path: normalise(path), target };
      await saying("link", () => namespace.link(caller, path, target, withReceipt(receipt, answer)));
      return answer;
    },

    async setattr({ caller }: ReceiptContext, { path: typed, mode, owner, group, mtimeMs }) {
      const path = await absolute(caller, typed);
      const change = {
        ...(mode === undefined ? {} : { mode: modeOf(mode) }),
        ...(owner === undefined ? {} : { uid: await numbered("account", owner, names.uidOf) }),
        ...(group === undefined ? {} : { gid: await numbered("group", group, names.gidOf) }),
        ...(mtimeMs === undefined ? {} : { mtimeMs }),
      };
      if (Object.keys(change).length === 0)
        throw new SysError("EINVAL", "nothing to change: name a mode, owner, group or time");
      await saying("change", () => namespace.setattr(caller, path, change));
      return { path: normalise(path) };
    },

    async remove({ caller, receipt }: ReceiptContext, { path: typed, recursive }) {
      const path = await absolute(caller, typed);
      const answer = { path: normalise(path) };
      await saying("remove", () => namespace.remove(caller, path, { recursive, ...withReceipt(receipt, answer) }));
      return answer;
    },
  };
}

async function entryOf({ name, stat }: Entry, names: Pick<Names, "owner" | "group">): Promise<FileEntry> {
  const { kind, mode, uid, gid, size, mtimeMs, target }: Stat = stat;
  return {
    name: name.toWellFormed(),
    kind,
    mode: mode.toString(8).padStart(4, "0"),
    uid,
    gid,
    owner: (await names.owner(uid)) ?? String(uid),
    group: (await names.group(gid)) ?? String(gid),
    size,
    mtimeMs,
    ...(target === undefined ? {} : { target }),
  };
}

/** Caches names: most entries of a directory have the same owner. */
function namesOnce({ owner, group }: Names): Pick<Names, "owner" | "group"> {
  const once = (ask: (id: number) => Promise<string | null>) => {
    const known = new Map<number, Promise<string | null>>();
    return (id: number) => {
      const answer = known.get(id) ?? ask(id);
      known.set(id, answer);
      return answer;
    };
  };
  return { owner: once(owner), group: once(group) };
}

async function numbered(what: string, text: string, find: (name: string) => Promise<number | null>): Promise<number> {
  const id = (await find(text)) ?? (/^[0-9]{1,10}$/.test(text) ? Number(text) : null);
  if (id === null || id > ID_MAX) throw new SysError("ENOENT", `no such ${what}: ${clip(text)}`);
  return id;
}

function modeOf(text: string): number {
  if (!/^[0-7]{1,5}$/.test(text) || Number.parseInt(text, 8) > 0o7777)
    throw new SysError("EINVAL", `invalid mode ${clip(text)}: use 0 to 7777 in octal`);
  return Number.parseInt(text, 8);
}

function bytesOf(data: string): Uint8Array {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw new SysError("EINVAL", "data is not base64");
  return Buffer.from(data, "base64");
}

/** False if nothing is there; other failures are thrown. */
export async function stands(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return false;
    throw error;
  }
}
