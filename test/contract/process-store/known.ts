// A process's knowledge of files: the last version of each, bounded, and cleared by a reset.

import { expect } from "bun:test";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import type { Subject } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

const file = (subject: Subject, path: string, text: string | null = null, target = "gsv") => ({
  ...{ target, path, version: `v${subject.now()}`, how: "read" as const, runId: "run", at: subject.now(), text },
});

export const KNOWN: Claims = {
  async "a process knows the last version of each file that it saw or wrote, separately on each target"(subject) {
    const { store, pid } = subject;
    const place = { target: "gsv", path: "/a" };
    expect(await store.knownFile(pid, place)).toBeNull();
    const [first, second] = [file(subject, "/a", "one"), { ...file(subject, "/a", "two"), how: "wrote" as const }];
    const onHost = file(subject, "/a", null, "host");
    for (const each of [first, onHost, second]) await store.knowFile(pid, each);
    expect(await store.knownFile(pid, place)).toEqual(second);
    const { text: _, ...shown } = second;
    const { text: __, ...shownOnHost } = onHost;
    expect(await store.knownFiles(pid, { limit: 10 })).toEqual([shown, shownOnHost]);
    expect(await store.knownFiles(pid, { place, limit: 10 })).toEqual([shown]);
    expect(await store.knownFiles(pid, { limit: 1 })).toEqual([shown]);
    await store.forgetFile(pid, place);
    expect(await store.knownFiles(pid, { limit: 10 })).toEqual([shownOnHost]);
  },

  async "the number and size of known files is bounded; the oldest go first"(subject) {
    const { store, pid } = subject;
    const text = "x".repeat(LIMITS.knownTextBytesMax);
    const fitting = LIMITS.knownTextsBytesMax / LIMITS.knownTextBytesMax;
    for (let count = 0; count <= fitting; count++) await store.knowFile(pid, file(subject, `/heavy/${count}`, text));
    const textOf = async (count: number) =>
      (await store.knownFile(pid, { target: "gsv", path: `/heavy/${count}` }))?.text;
    expect([await textOf(0), await textOf(1), await textOf(fitting)]).toEqual([null, text, text]);
    for (let count = 0; count < LIMITS.knownFilesMax; count++) await store.knowFile(pid, file(subject, `/${count}`));
    const all = await store.knownFiles(pid, { limit: 10_000 });
    expect([all.length, all[0]?.path, all.at(-1)?.path]).toEqual([
      LIMITS.knownFilesMax,
      `/${LIMITS.knownFilesMax - 1}`,
      "/0",
    ]);
  },

  async "known files survive a kernel, take no writes of a replaced one, and go with a reset"(subject) {
    const { store, pid } = subject;
    await store.knowFile(pid, file(subject, "/a"));
    const { stale } = await subject.nextKernel();
    expect(await subject.store.knownFiles(pid, { limit: 9 })).toHaveLength(1);
    await stale.knowFile(pid, file(subject, "/b"));
    expect(await subject.store.knownFiles(pid, { limit: 9 })).toHaveLength(1);
    await subject.cut();
    await subject.seal();
    expect(await subject.store.knownFiles(pid, { limit: 9 })).toEqual([]);
  },
};
