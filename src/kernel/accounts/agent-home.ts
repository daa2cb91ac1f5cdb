// Fills the home of an agent: first context (once) and shipped skills. Existing files are never overwritten, and deleted first context does
// not come back. A human's home starts empty. A new tree is plain files until the first change makes a repository.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ObjectStore } from "../../objects/objects.ts";
import type { ShippedFile } from "../../prompts/shipped.ts";
import type { VersionedTree } from "../../repos/tree.ts";
import type { AccountRow } from "../../store/kernel/people/people.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Bootstrapped } from "../../syscalls/repo/repo-service.ts";
import { listAccounts } from "./users.ts";

export interface BootstrapPorts {
  readonly kernel: KernelStore;
  readonly objects: Pick<ObjectStore, "page">;
  readonly directoryOf: (username: string) => string;
  readonly treeOf: (username: string) => Promise<Pick<VersionedTree, "change">>;
}

export type Receiver = Pick<AccountRow, "username" | "kind"> & { readonly owner: string | null };

/** Gives the caller's accounts the shipped skills that they lack. */
export async function giveAll(ports: BootstrapPorts, { caller }: Pick<CallContext, "caller">): Promise<Bootstrapped> {
  const { accounts } = await listAccounts(ports.kernel, caller);
  const done = { copied: [] as string[], kept: [] as string[] };
  for (const account of accounts) {
    const { copied, kept } = await give(ports, account);
    done.copied.push(...copied);
    done.kept.push(...kept);
  }
  return done;
}

export async function give(ports: BootstrapPorts, account: Receiver): Promise<Bootstrapped> {
  const { username } = account;
  const directory = ports.directoryOf(username);
  const files = await filesFor(ports, account);
  const missing = files.filter(({ path }) => !existsSync(join(directory, path)));
  const named = (each: readonly ShippedFile[]) => each.map(({ path }) => `/home/${username}/${path}`);
  const done = { copied: named(missing), kept: named(files.filter((each) => !missing.includes(each))) };
  if (missing.length === 0) return done;
  const write = () => {
    for (const { path, text } of missing) {
      mkdirSync(dirname(join(directory, path)), { recursive: true, mode: 0o700 });
      writeFileSync(join(directory, path), text, { mode: 0o600, flag: "wx" });
    }
  };
  if (!existsSync(join(directory, ".git"))) write();
  else {
    const tree = await ports.treeOf(username);
    await tree.change({ author: username, message: "add what ships with gsv" }, async () => {
      write();
      return { value: undefined, undo: async () => {}, paths: missing.map(({ path }) => path) };
    });
  }
  return done;
}

async function filesFor(ports: BootstrapPorts, { username, kind, owner }: Receiver): Promise<readonly ShippedFile[]> {
  if (kind !== "agent" && kind !== "personal") return [];
  const { firstContext, SHIPPED_SKILLS } = await import("../../prompts/shipped.ts");
  // Files from before homes had trees are imported by the first change; new files must not hide them.
  const isFree = async (top: string) => (await ports.objects.page(`home/${username}/${top}/`, null, 1)).length === 0;
  const isNew = !existsSync(join(ports.directoryOf(username), "context.d")) && (await isFree("context.d"));
  return [
    ...(isNew ? firstContext({ agent: username, owner: owner ?? "its owner" }, kind === "personal") : []),
    ...((await isFree("skills.d")) ? SHIPPED_SKILLS : []),
  ];
}
