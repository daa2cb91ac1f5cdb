// Random lives of a session: messages, resets by both names, policies, days and nights with clock changes, dying kernels. A simple model
// counts the messages of each conversation; history, generations and archives must agree with it at every end.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ArchivePage, Closed } from "../../src/syscalls/services.ts";
import type { SessionHistory, SessionInfo, SessionReset } from "../../src/syscalls/session/session-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { samples } from "../support/soak.ts";

const SEED = 20_261_122;
const ZONE = "Europe/Berlin";
const HOUR = 3_600_000;
/** The evening before a clock change. */
const BEGINNINGS = ["2026-03-28T20:00Z", "2026-10-24T20:00Z"];

type Move =
  | { readonly do: "say" }
  | { readonly do: "reset"; readonly by: "session" | "process" | "slash" }
  | { readonly do: "wait"; readonly hours: number }
  | { readonly do: "policy"; readonly mode: "manual" | "daily" | "idle" }
  | { readonly do: "restart" };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ do: "say" } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("reset" as const), by: fc.constantFrom("session", "process", "slash") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), hours: fc.constantFrom(0.5, 1, 3, 5, 7, 24) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("policy" as const), mode: fc.constantFrom("manual", "daily", "idle") }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "restart" } as const) },
) as fc.Arbitrary<Move>;

/** The local time on the wall clock. */
function wall(at: number): { readonly day: string; readonly hour: number } {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: ZONE,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  }).format(at);
  const [day = "", time = ""] = parts.split(", ");
  return { day, hour: Number(time.split(":")[0]) };
}

/** Whether 4 a.m. came between the two: checked in steps of 15 minutes. */
function fourCame(from: number, to: number): boolean {
  for (let at = from + HOUR / 4; at <= to; at += HOUR / 4) {
    const [before, now] = [wall(at - HOUR / 4), wall(at)];
    if (now.hour >= 4 && (before.hour < 4 || before.day !== now.day)) return true;
  }
  return false;
}

class Book {
  readonly ended: string[][] = [];
  current: string[] = [];
  mode: "manual" | "daily" | "idle" = "manual";
  lastAt = 0;

  renewsAt(now: number): boolean {
    if (this.current.length === 0 || this.mode === "manual") return false;
    return this.mode === "idle" ? now - this.lastAt > HOUR : fourCame(this.lastAt, now);
  }

  turn(): void {
    this.ended.push(this.current);
    this.current = [];
  }
}

async function play(home: TestKernel, book: Book, { move, number }: { readonly move: Move; readonly number: number }) {
  switch (move.do) {
    case "say": {
      if (book.renewsAt(home.clock.now())) book.turn();
      await home.say(`message ${number}`);
      book.current.push(`message ${number}`, "done");
      book.lastAt = home.clock.now();
      return;
    }
    case "reset": {
      if (move.by === "session") await home.sys.call<SessionReset>("session.reset", {});
      else if (move.by === "process") await home.sys.call<Closed>("proc.reset", { pid: INIT });
      else await home.sys.call("proc.send", { message: "/reset" });
      return book.turn();
    }
    case "wait":
      return home.clock.setWall(home.clock.now() + move.hours * HOUR);
    case "policy":
      book.mode = move.mode;
      await home.sys.call("session.set", { key: "main", path: "resetPolicy.mode", value: move.mode });
      return;
    case "restart":
      return await home.restart();
  }
}

async function agrees(home: TestKernel, book: Book): Promise<void> {
  const texts = (await home.messages(INIT)).map(({ content }) =>
    typeof content === "string" ? content : "text" in content ? content.text : "",
  );
  expect(texts).toEqual(book.current);
  const history = await home.sys.call<SessionHistory>("session.history", {});
  const info = await home.sys.call<SessionInfo>("session.get", {});
  expect([history.count, info.previousSessions, info.messages]).toEqual([
    book.ended.length,
    book.ended.length,
    book.current.length,
  ]);
  expect(history.current?.sessionId).toBe(info.sessionId ?? "");
  const archived: unknown[][] = [];
  for (const { archiveId, archivedTo, sessionId } of history.previous) {
    const page = archiveId === null ? null : await home.sys.call<ArchivePage>("archive.show", { id: archiveId });
    archived.unshift((page?.records ?? []).map((record) => (record as { content: unknown }).content));
    expect(archivedTo).toBe(archiveId === null ? null : `/agents/main/sessions/${sessionId}.jsonl.gz`);
  }
  expect(archived).toEqual(book.ended);
}

test(
  `seed ${SEED}: each message of a session is in one conversation and none is lost`,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...BEGINNINGS),
        fc.array(move, { minLength: 10, maxLength: 25 }),
        async (began, moves) => {
          await using home = await TestKernel.boot();
          await home.person(0).call("config.set", { key: "server.timezone", value: ZONE, system: true });
          home.clock.setWall(Date.parse(began));
          const book = new Book();
          for (const [number, each] of moves.entries()) await play(home, book, { move: each, number });
          await agrees(home, book);
        },
      ),
      { seed: SEED, numRuns: samples(6, 300) },
    );
  },
  samples(60_000, 1_800_000),
);
