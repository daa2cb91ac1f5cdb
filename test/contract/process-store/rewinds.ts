// Data next to the history of a process: context files, prompts of turns, changes of calls, and rewound
// histories.

import { expect } from "bun:test";
import { DONE, granted, type Subject, textOf } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

async function told(subject: Subject): Promise<string[]> {
  return (await subject.store.context(subject.pid)).map((message) => `${message.id} ${textOf(message)}`);
}

async function talk(subject: Subject, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) await subject.turn(await subject.running(`question ${run}`), { finish: DONE });
}

const back = (subject: Subject, undo: number, through: number) =>
  subject.store.rewind(subject.pid, { undo, through, note: "[rewound]", now: subject.now() });

export const REWINDS: Claims = {
  async "a rewound history is shown up to the cut, and keeps every message and number"(subject) {
    await talk(subject, 3);
    expect(granted(await back(subject, 1, 2))).toMatchObject({ fromSeq: 3, toSeq: 6, noteSeq: 7 });
    expect(await told(subject)).toEqual(["1 question 0", "2 so be it", "7 [rewound]"]);
    expect((await subject.messages()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    // The second time has no effect.
    expect(granted(await back(subject, 1, 2))).toMatchObject({ noteSeq: 7 });
    expect((await subject.store.rewinds(subject.pid)).length).toBe(1);
    granted(await subject.store.undoRewind(subject.pid, { undo: 1, now: subject.now() }));
    expect((await told(subject)).map((line) => line.split(" ")[0])).toEqual(["1", "2", "3", "4", "5", "6"]);
  },

  async "a rewind is refused without later messages, and while a run is at work"(subject) {
    await talk(subject, 1);
    expect(granted(await back(subject, 1, 2))).toBeNull();
    await subject.running("more");
    expect(granted(await back(subject, 2, 1))).toBeNull();
    expect(await subject.store.rewinds(subject.pid)).toEqual([]);
  },

  async "a reset also ends a rewind"(subject) {
    await talk(subject, 2);
    granted(await back(subject, 1, 2));
    await subject.cut();
    await subject.seal();
    expect(await subject.store.rewinds(subject.pid)).toEqual([]);
  },

  async "context files are listed by name, replaced and removed"(subject) {
    const { store, pid } = subject;
    for (const name of ["b.md", "a.md", "b.md"]) await store.setContextFile(pid, { name, text: `of ${name}` });
    expect(await store.contextFiles(pid)).toEqual([
      { name: "a.md", text: "of a.md" },
      { name: "b.md", text: "of b.md" },
    ]);
    expect(await store.setContextFile(pid, { name: "a.md", text: null })).toBe(true);
    expect(await store.setContextFile(pid, { name: "a.md", text: null })).toBe(false);
  },

  async "the newest try of a turn is the one that is kept"(subject) {
    const { store, pid } = subject;
    const about = { model: "m", leftOut: [], bill: [], now: 1 };
    const parts = (text: string) => [{ source: "gsv" as const, path: null, text }];
    for (const [runId, turn, text] of [
      ["one", 1, "first"],
      ["one", 1, "again"],
      ["two", 1, "second"],
    ] as const)
      await store.keepPrompt(pid, { ...about, runId, turn, parts: parts(text) });
    expect((await store.keptPrompt(pid, { runId: "one" }))?.parts).toEqual(parts("again"));
    expect((await store.keptPrompt(pid, { turn: 1 }))?.parts).toEqual(parts("second"));
    expect(await store.keptPrompt(pid, { runId: "one", turn: 2 })).toBeNull();
  },

  async "a change is open until its call ends, gone if it changed nothing, and records the undo that reverted it"(
    subject,
  ) {
    const { store, pid } = subject;
    const change = { runId: "one", dispatchId: "d", tool: "Write", place: "dir:/x", path: "a", before: "v0", at: 1 };
    await store.beginChange(pid, change);
    await store.beginChange(pid, { ...change, dispatchId: "e" });
    const [first, second] = await store.changes(pid, { open: true });
    await store.endChange(pid, first?.id ?? 0, { after: "v1", leftOut: ["big"], fault: null, changed: true });
    await store.endChange(pid, second?.id ?? 0, { after: "v0", leftOut: [], fault: null, changed: false });
    expect(await store.changes(pid, { open: true })).toEqual([]);
    const [kept] = await store.changes(pid, { runId: "one" });
    expect(kept).toMatchObject({ before: "v0", after: "v1", leftOut: ["big"], undoneBy: null });
    const id = await store.beginUndo(pid, {
      at: 2,
      by: "sam",
      requestKey: "k",
      changes: [kept?.id ?? 0],
      files: [],
      redoOf: null,
      rewind: null,
    });
    expect((await store.undos(pid))[0]).toMatchObject({ id, done: false });
    await store.endUndo(pid, id);
    expect((await store.changes(pid, "all"))[0]?.undoneBy).toBe(id);
    const redo = await store.beginUndo(pid, {
      at: 3,
      by: "sam",
      requestKey: "k",
      changes: [kept?.id ?? 0],
      files: [],
      redoOf: id,
      rewind: null,
    });
    await store.endUndo(pid, redo);
    expect((await store.changes(pid, "all"))[0]?.undoneBy).toBeNull();
    expect((await store.undos(pid)).map(({ redone }) => redone)).toEqual([false, true]);
  },
};
