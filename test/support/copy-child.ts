// Creates two processes and kills itself at a step of the second creation, which copies the template. Run as
// `bun copy-child.ts <directory> <step>`.

/** In the middle of the bytes, before they are on disk, before the copy has its name, and before the name is on disk. */
export const STEPS = ["write", "fsync", "rename", "renamed"] as const;

const OPERATIONS: { readonly [step: string]: string } = {
  write: "writeFileSync",
  fsync: "fsyncSync",
  rename: "renameSync",
  renamed: "renameSync",
};

if (import.meta.main) {
  const [directory = "", step = ""] = process.argv.slice(2);
  const fs = process.getBuiltinModule("node:fs") as unknown as Record<string, (...given: unknown[]) => unknown>;
  let isArmed = false;
  const operation = OPERATIONS[step] ?? "";
  const real = fs[operation];
  if (real === undefined) throw new Error(`no step ${step}`);
  fs[operation] = (...given) => {
    if (!isArmed) return real(...given);
    if (step === "write") real(given[0], (given[1] as Uint8Array).subarray(0, 5000));
    if (step === "renamed") real(...given);
    process.kill(process.pid, "SIGKILL");
    return undefined;
  };
  // Only now, so that the store gets the changed operation.
  const { openStore, PID } = await import("./store-child.ts");
  const store = openStore(directory, 1);
  await store.create("task:first1", { profile: "task", identity: {}, now: 1 });
  isArmed = true;
  await store.create(PID, { profile: "task", identity: {}, now: 1 });
}
