// Creates two processes and kills itself at a step of the second creation, which copies the template. Run as
// `bun copy-child.ts <directory> <step>`.

/** In the middle of the bytes, before they are on disk, before the copy has its name, and before the name is on disk. */
export const STEPS = ["write", "fsync", "rename", "renamed"] as const;

interface Handle {
  writeFile(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
}

const die = () => void process.kill(process.pid, "SIGKILL");

if (import.meta.main) {
  const [directory = "", step = ""] = process.argv.slice(2);
  const fs = process.getBuiltinModule("node:fs/promises") as unknown as {
    open(...given: unknown[]): Promise<Handle>;
    rename(...given: unknown[]): Promise<void>;
  };
  let isArmed = false;
  const real = { open: fs.open, rename: fs.rename };
  fs.open = async (...given) => {
    const file = await real.open(...given);
    if (isArmed && step === "write") {
      const write = file.writeFile.bind(file);
      file.writeFile = (bytes) => write(bytes.subarray(0, 5000)).then(die);
    }
    if (isArmed && step === "fsync") file.sync = async () => die();
    return file;
  };
  fs.rename = async (...given) => {
    if (isArmed && step === "rename") die();
    await real.rename(...given);
    if (isArmed && step === "renamed") die();
  };
  // Only now, so that the store gets the changed operations.
  const { openStore, PID } = await import("./store-child.ts");
  const store = openStore(directory, 1);
  await store.create("task:first1", { profile: "task", identity: {}, now: 1 });
  isArmed = true;
  await store.create(PID, { profile: "task", identity: {}, now: 1 });
}
