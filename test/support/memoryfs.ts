// A mount for tests that only need files.

import type { FileSystem } from "../../fs/filesystem.ts";
import { separateStores } from "../../fs/memory.ts";
import { objectsFs } from "../../fs/objects.ts";
import type { ObjectStore } from "../../src/objects/objects.ts";
import { FakeClock } from "./clock.ts";

export function memoryObjects(bytesMax: number): ObjectStore {
  return separateStores(() => 0, bytesMax)(null);
}

export function memoryMount(mode = 0o777): FileSystem {
  const store = memoryObjects(256 * 1024 * 1024);
  return objectsFs({ storeOf: () => store, clock: new FakeClock(), root: { uid: 0, gid: 0, mode } });
}
