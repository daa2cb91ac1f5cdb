// Maps the flat, sorted keys of an object store to a directory tree. No permission checks: see fs/objects.ts.

import type { ObjectMeta, ObjectStore } from "../src/objects/objects.ts";
import type { Entry, Stat } from "./filesystem.ts";
import { base } from "./path.ts";

/** Marker object of a directory. */
export const MARKER = ".dir";

const PAGE = 200;
/** Sorts after all other characters. */
const LAST = "\u{10FFFF}";

export function keyOf(path: string): string {
  return path.slice(1);
}

export function markerOf(path: string): string {
  return path === "/" ? MARKER : `${keyOf(path)}/${MARKER}`;
}

export function versionOf(meta: ObjectMeta): string {
  return meta.sha256.slice(0, 16);
}

function statOf(meta: ObjectMeta): Stat {
  const { uid, gid, mode, mtimeMs } = meta;
  if (meta.dirmarker) return { kind: "directory", uid, gid, mode, size: 0, mtimeMs, version: String(mtimeMs) };
  return {
    kind: meta.symlink === null ? "file" : "symlink",
    uid,
    gid,
    mode,
    size: meta.size,
    mtimeMs,
    version: versionOf(meta),
    ...(meta.symlink === null ? { contentType: meta.type } : { target: meta.symlink }),
  };
}

/** An object, a directory with marker, or a directory that exists through its contents (root's, 0755). */
export async function headOf(store: ObjectStore, path: string): Promise<Stat | null> {
  if (base(path) === MARKER) return null;
  if (path !== "/") {
    const meta = await store.head(keyOf(path));
    if (meta !== null) return statOf(meta);
  }
  const marker = await store.head(markerOf(path));
  return marker === null ? withoutMarker(store, path) : statOf(marker);
}

async function withoutMarker(store: ObjectStore, path: string): Promise<Stat | null> {
  if (path === "/" || base(path) === MARKER) return null;
  const [child] = await store.page(`${keyOf(path)}/`, null, 1);
  if (child === undefined) return null;
  const { mtimeMs } = child;
  return { kind: "directory", uid: 0, gid: 0, mode: 0o755, size: 0, mtimeMs, version: String(mtimeMs) };
}

/** What stands at each path, in few queries. `paths`: each in the one before it. */
export async function headsOf(store: ObjectStore, paths: readonly string[]): Promise<ReadonlyMap<string, Stat | null>> {
  const stored = await store.heads(paths.flatMap((path) => [keyOf(path), markerOf(path)]));
  const byKey = new Map(stored.map((meta) => [meta.key, meta]));
  const heads = new Map<string, Stat | null>();
  let isPast = false;
  for (const path of paths) {
    const meta = base(path) === MARKER ? undefined : (byKey.get(keyOf(path)) ?? byKey.get(markerOf(path)));
    const stat: Stat | null = meta !== undefined ? statOf(meta) : isPast ? null : await withoutMarker(store, path);
    isPast ||= stat === null && path !== "/";
    heads.set(path, stat);
  }
  return heads;
}

/** The entries of a directory. A page that ends within a subdirectory is followed by one after it. */
export async function childrenOf(store: ObjectStore, path: string): Promise<Entry[]> {
  const prefix = path === "/" ? "" : `${keyOf(path)}/`;
  const entries: Entry[] = [];
  let inside: string | null = null;
  let after: string | null = null;
  for (;;) {
    const page: readonly ObjectMeta[] = await store.page(prefix, after, PAGE);
    for (const meta of page) {
      after = meta.key;
      if (inside !== null && meta.key.startsWith(inside)) continue;
      const name: string = meta.key.slice(prefix.length).split("/", 1)[0] ?? "";
      if (name === MARKER) continue;
      const isFile = meta.key.length === prefix.length + name.length;
      inside = isFile ? null : `${prefix}${name}/`;
      const stat = isFile ? statOf(meta) : await headOf(store, `/${prefix}${name}`);
      if (stat !== null) entries.push({ name, stat });
    }
    if (page.length < PAGE) return entries;
    if (inside !== null && after !== null && !after.startsWith(inside + LAST)) after = inside + LAST;
  }
}

/** All objects below a directory, its marker included. */
export async function metasBeneath(store: ObjectStore, path: string): Promise<ObjectMeta[]> {
  const metas: ObjectMeta[] = [];
  for (;;) {
    const page: readonly ObjectMeta[] = await store.page(`${keyOf(path)}/`, metas.at(-1)?.key ?? null, PAGE);
    metas.push(...page);
    if (page.length < PAGE) return metas;
  }
}
