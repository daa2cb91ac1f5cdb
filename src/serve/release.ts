// Fetches the binaries of a release: `URL/gsv-linux-x64` with its checksum `URL/gsv-linux-x64.sha256`. A release page has them, and so has
// another gsv under /public/gsv/downloads/cli/CHANNEL.

import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SysError } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import { clip } from "../lib/text/truncate.ts";
import { isLoopbackHost } from "./listen-address.ts";

const BYTES_MAX = 1024 * 1024 * 1024;
/** Of one file. */
const FILE_MS = 10 * 60 * 1000;

export function isRelease(from: string): boolean {
  return /^https?:\/\//.test(from);
}

/** Runs `work` on a directory with those of the files that the release has, and removes it. */
export async function withRelease<T>(
  from: string,
  names: readonly string[],
  {
    clock,
    directory,
    work,
  }: { readonly clock: Clock; readonly directory: string; readonly work: (directory: string) => Promise<T> },
): Promise<T> {
  const base = checked(from);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    for (const name of names) {
      // Without a checksum it could be anything.
      if (!(await fetched(`${base}/${name}.sha256`, join(directory, `${name}.sha256`), clock))) continue;
      if (!(await fetched(`${base}/${name}`, join(directory, name), clock)))
        throw new SysError("ENOENT", `${clip(base)} has a checksum of ${name}, but not the file`);
    }
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function checked(from: string): string {
  const url = URL.parse(from);
  if (url === null || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new SysError("EINVAL", `not an address of a release: ${clip(from)}`);
  if (url.protocol !== "https:" && !isLoopbackHost(url.hostname))
    throw new SysError("EINVAL", "a release needs https: its checksums come from the same place");
  return url.href.replace(/\/+$/, "");
}

/** False if there is no such file. */
async function fetched(url: string, path: string, clock: Clock): Promise<boolean> {
  const late = new AbortController();
  const cancel = clock.after(FILE_MS, () => late.abort(new Error("it takes longer than 10 minutes")));
  try {
    const response = await fetch(url, { signal: late.signal });
    if (response.status === 404) return false;
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const file = await open(path, "wx", 0o600);
    try {
      let bytes = 0;
      for await (const piece of response.body) {
        bytes += piece.byteLength;
        if (bytes > BYTES_MAX) throw new Error("it is larger than 1 GiB");
        await file.write(piece);
      }
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (error instanceof SysError) throw error;
    throw new SysError("EAGAIN", `cannot fetch ${clip(url)}: ${messageOf(error)}`, ["try again later"]);
  } finally {
    cancel();
  }
}
