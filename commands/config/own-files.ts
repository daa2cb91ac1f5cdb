// Searches skills, context and knowledge of your home and your agent's for `gsv man -k`. Starts no kernel; without a home, finds nothing.

import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { indexSections } from "../../src/lib/text/search.ts";
import type { AccountInfo } from "../../src/syscalls/account/account-service.ts";
import type { FileView } from "../../src/syscalls/fs/files-service.ts";
import type { Io } from "../command.ts";

export interface OwnFile {
  readonly path: string;
  readonly summary: string;
}

const PLACES = ["skills.d", "context.d", "knowledge"];
const FILES_MAX = 300;
const DEPTH_MAX = 4;
const SUMMARY_CHARS_MAX = 100;
const FOUND_MAX = 4;
/** Share of the question that a file must match. */
const COVERAGE_MIN = 0.6;

export async function foundInOwnFiles(io: Io, question: string): Promise<readonly OwnFile[]> {
  const sys = await io.peek();
  if (sys === null) return [];
  try {
    const sections = (await texts(sys)).map(({ path, text }) => {
      const summary = summaryOf(text);
      return { heading: summary, words: path.replaceAll(/[/._-]/g, " "), text, file: { path, summary } };
    });
    const hits = indexSections(sections).search(question);
    return hits
      .flatMap(({ section, coverage }) => (coverage >= COVERAGE_MIN ? [section.file] : []))
      .slice(0, FOUND_MAX);
  } catch (error) {
    // The search of the manual must work without a home.
    if (error instanceof SysError) return [];
    throw error;
  } finally {
    await sys.close();
  }
}

interface Text {
  readonly path: string;
  readonly text: string;
}

async function texts(sys: Sys): Promise<readonly Text[]> {
  const found: Text[] = [];
  for (const home of await homes(sys))
    for (const place of PLACES) await gather(sys, `${home}/${place}`, { found, depth: 0 });
  return found;
}

async function homes(sys: Sys): Promise<readonly string[]> {
  const { username } = await sys.call<{ username: string }>("system.whoami", {});
  const { accounts } = await sys.call<{ accounts: readonly AccountInfo[] }>("account.list", {});
  const agent = accounts.find(({ kind, owner }) => kind === "personal" && owner === username);
  return ["~", ...(agent === undefined ? [] : [`~${agent.username}`])];
}

async function gather(sys: Sys, path: string, into: { readonly found: Text[]; readonly depth: number }): Promise<void> {
  const { found, depth } = into;
  if (found.length >= FILES_MAX || depth > DEPTH_MAX) return;
  const view = await readOr(sys, path);
  if (view?.kind === "file") found.push({ path, text: view.content });
  if (view?.kind !== "directory") return;
  for (const name of [...view.files, ...view.directories])
    if (!name.startsWith(".")) await gather(sys, `${path}/${name}`, { found, depth: depth + 1 });
}

/** Skips binary and missing files. */
async function readOr(sys: Sys, path: string): Promise<FileView | null> {
  try {
    return await sys.call<FileView>("fs.read", { path });
  } catch (error) {
    if (error instanceof SysError) return null;
    throw error;
  }
}

/** The description of a skill, else the first line with text. */
function summaryOf(text: string): string {
  const described = /^---\n(?:.*\n)*?description: *(.+)\n(?:.*\n)*?---/.exec(text)?.[1];
  const lines = text.split("\n").map((line) => line.replace(/^#+ */, "").trim());
  const first = described ?? lines.find((line) => line !== "" && line !== "---") ?? "";
  return first.length > SUMMARY_CHARS_MAX ? `${first.slice(0, SUMMARY_CHARS_MAX - 1)}…` : first;
}
