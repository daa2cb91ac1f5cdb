import { describe, expect, test } from "bun:test";
import { jsonLine } from "../../commands/io/status.ts";
import { ageText, table } from "../../commands/io/table-layout.ts";
import { printResult, printText } from "../../commands/print.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { type Column, facts, type Print, value } from "../../src/syscalls/define.ts";
import { procListCalls } from "../../src/syscalls/proc/proc-list.ts";
import type { ProcessPage } from "../../src/syscalls/services.ts";
import { FakeIo } from "../support/io.ts";

const PROCESS_TABLE = procListCalls[0].cli.print as Print<ProcessPage>;

interface Row {
  id: string;
  label: string;
  count: number;
  at: number;
}

const COLUMNS: Column[] = [
  { head: "ID", cell: (row: Row) => row.id },
  { head: "LABEL", cell: (row: Row) => row.label, shrink: true },
  { head: "N", cell: (row: Row) => String(row.count), align: "right" },
  { head: "AGE", since: (row: Row) => row.at },
];
const NOW = Date.UTC(2026, 0, 2);
const ROWS: Row[] = [
  { id: "a", label: "short", count: 5, at: NOW - 3_600_000 },
  { id: "bb", label: "日本語のとても長いラベル", count: 1234, at: NOW - 5000 },
];

describe("table", () => {
  test("is complete and aligned where nothing is cut, with ISO times", () => {
    expect(table(COLUMNS, ROWS, { width: null, nowMs: NOW })).toBe(
      [
        "ID  LABEL                        N  SINCE",
        "a   short                        5  2026-01-01T23:00:00.000Z",
        "bb  日本語のとても長いラベル  1234  2026-01-01T23:59:55.000Z",
        "",
      ].join("\n"),
    );
  });

  test("on a narrow terminal the shrinkable column is cut, never the id", () => {
    expect(table(COLUMNS, ROWS, { width: 24, nowMs: NOW })).toBe(
      ["ID  LABEL         N  AGE", "a   short         5  1h", "bb  日本語の…  1234  5s", ""].join("\n"),
    );
  });

  test("less important columns are dropped before an identifying one becomes too short", () => {
    const columns: Column[] = [...COLUMNS, { head: "OWNER", minor: 1, cell: () => "somebody" }];
    const rows = [{ ...ROWS[0], label: "summarise the notes of July" }];
    expect(table(columns, rows, { width: 46, nowMs: NOW })).toBe(
      "ID  LABEL                     N  AGE  OWNER\na   summarise the notes of …  5  1h   somebody\n",
    );
    expect(table(columns, rows, { width: 40, nowMs: NOW })).toBe(
      "ID  LABEL                        N  AGE\na   summarise the notes of July  5  1h\n",
    );
    expect(table(columns, rows, { width: 24, nowMs: NOW })).toBe("ID  LABEL         N  AGE\na   summarise t…  5  1h\n");
  });

  test("a path keeps its end", () => {
    const columns: Column[] = [
      { head: "ID", cell: () => "a" },
      { head: "PATH", cell: (row: Row) => row.label, shrink: "start" },
    ];
    const shown = (label: string) => table(columns, [{ ...ROWS[0], label }], { width: 20, nowMs: NOW }).split("\n")[1];
    expect(shown("/workspaces/dir_aaaaaa/app.py")).toBe("a   …r_aaaaaa/app.py");
    expect(shown("/日本語日本語日本語/メモ.md")).toBe("a   …日本語/メモ.md");
  });

  test("no line is ever wider than the terminal", () => {
    for (let width = 1; width < 50; width++) {
      for (const line of table(COLUMNS, ROWS, { width, nowMs: NOW }).split("\n")) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  test("an empty cell is a dash, so that columns can be counted", () => {
    const text = table(COLUMNS, [{ ...ROWS[0], label: "" }], { width: null, nowMs: NOW });
    expect(text).toContain("a   -  ");
  });
});

test("on a terminal the head of a table is dim, and urgent cells are not", () => {
  const { columns } = PROCESS_TABLE as Extract<typeof PROCESS_TABLE, { kind: "table" }>;
  const same = { label: "one", owner: "ana", profile: "task", mode: "ask", queued: 0, cwd: "/", workspaceId: null };
  const rows = ["idle", "waiting_hil", "error"].map((state) => ({
    ...same,
    waitsFor: null,
    pid: state,
    state,
    createdAt: NOW,
  }));
  const of = (colour: boolean) => table(columns, rows, { width: 200, nowMs: NOW, colour });
  const [head, idle, waiting, failed] = of(true).split("\n");
  expect(head).toStartWith("\x1b[2mPID ");
  expect(idle).not.toContain("\x1b");
  expect(waiting).toContain(" \x1b[33mwaiting_hil\x1b[39m ");
  expect(failed).toContain(" \x1b[31merror\x1b[39m ");
  expect(Bun.stripANSI(of(true))).toBe(of(false));
});

test("each process is printed as if it were alone in the list", () => {
  const approval = { kind: "approval", id: "ab12", tool: "Shell", summary: "rm -r build" } as const;
  const limit = { kind: "limit", reason: "the budget of $2.00 is used up" } as const;
  const same = { label: "one", owner: "ana", profile: "task", mode: "ask", queued: 0, cwd: "/", workspaceId: null };
  const rows = [
    { ...same, pid: "task:aaaaa1", state: "running", waitsFor: null, costUsd: 0, createdAt: NOW, lastStatus: "ok" },
    { ...same, pid: "task:aaaaa2", state: "running", waitsFor: null, costUsd: 0, createdAt: NOW, interrupted: true },
    { ...same, pid: "task:aaaaa3", state: "running", waitsFor: null, costUsd: 1.5, createdAt: NOW - 1, label: null },
    { ...same, pid: "task:aaaaa4", state: "waiting_hil", waitsFor: approval, costUsd: 1.5, createdAt: NOW, label: "" },
    { ...same, pid: "task:aaaaa5", state: "paused", waitsFor: null, costUsd: 0.0001, createdAt: NOW, queued: 12 },
    { ...same, pid: "task:aaaaa6", state: "paused", waitsFor: limit, createdAt: NOW, workspaceId: "web" },
    { ...same, pid: "task:aaaaa7", state: "paused", waitsFor: { ...limit, reason: "until morning" }, createdAt: NOW },
  ];
  const { columns } = PROCESS_TABLE as Extract<typeof PROCESS_TABLE, { kind: "table" }>;
  const cells = (of: readonly object[]) =>
    table(columns, of, { width: null, nowMs: NOW })
      .split("\n")
      .map((line) => line.split(/ {2,}/));
  const [head, ...whole] = cells(rows);
  expect(head).toHaveLength(13);
  expect(whole).toEqual([...rows.map((row) => cells([row])[1]!), [""]]);
  const states = whole.slice(0, -1).map(([, state]) => state);
  expect(states.join()).toBe("running,interrupted,running,waiting_hil,paused,paused (limit),paused (limit)");
});

test("a time to come is shown as such, a missing one as a dash", () => {
  const columns = [{ head: "NEXT", since: ({ at }: { at: number }) => at }];
  const rows = [NOW + 7 * 60_000, NOW - 7 * 60_000, Number.NaN].map((at) => ({ at }));
  expect(table(columns, rows, { width: 80, nowMs: NOW })).toBe("NEXT\nin 7m\n7m\n-\n");
  expect(table(columns, rows.slice(2), { width: null, nowMs: NOW })).toBe("NEXT\n-\n");
});

test("ages have one unit", () => {
  const ages = [0, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000 * 12, -5000];
  expect(ages.map((age) => ageText(NOW - age, NOW))).toEqual(["0s", "59s", "1m", "59m", "1h", "23h", "12d", "0s"]);
});

test("a JSON line has the same meaning and contains nothing a terminal acts on", () => {
  const value = { text: "\x9b31m\u202e\u200b\u{e0041}\x1b\u2028é👍" };
  const line = jsonLine(value);
  expect(JSON.parse(line)).toEqual(value);
  expect(line).not.toMatch(/[\x7f-\x9f\u202e\u200b\u2028\x1b]/);
  expect(line).not.toContain("\u{e0041}");
  expect(line).toContain("é👍");
  expect(line.split("\n")).toHaveLength(2);
});

test("text ends with one newline", async () => {
  const io = new FakeIo();
  await printText(io.stdout, "a");
  await printText(io.stdout, "b\n");
  expect(io.stdout.text).toBe("a\nb\n");
});

describe("nearest", () => {
  const names = ["chat", "ps", "spawn", "send", "wait", "kill", "kernel", "approve", "approvals"];
  test("a typing mistake finds its command", () => {
    expect(nearest("chta", names)).toEqual(["chat"]);
    expect(nearest("kil", names)).toEqual(["kill"]);
    expect(nearest("approv", names)).toEqual(["approvals", "approve"]);
    expect(nearest("pss", names)).toEqual(["ps"]);
  });

  test("another word finds nothing", () => {
    expect(nearest("hello", names)).toEqual([]);
    expect(nearest("", names)).toEqual([]);
    expect(nearest("x".repeat(10_000), names)).toEqual([]);
  });
});

test("people read instants in their own time zone, pipes in full", async () => {
  const zone = process.env.TZ ?? "UTC";
  process.env.TZ = "Asia/Kolkata";
  try {
    const print = value((_: object, when) => `made ${when(Date.UTC(2026, 10, 27, 20, 30, 5))}`);
    const terminal = new FakeIo().terminal();
    await printResult(terminal, print as never, {}, false);
    expect(terminal.stdout.text).toBe("made 2026-11-28 02:00:05\n");
    const pipe = new FakeIo();
    await printResult(pipe, print as never, {}, false);
    expect(pipe.stdout.text).toBe("made 2026-11-27T20:30:05.000Z\n");
  } finally {
    process.env.TZ = zone;
  }
});

test("facts and records are wrapped at words on a terminal, a value below its beginning; a pipe gets whole lines", async () => {
  const text = "may       read write\nwaits for approval of a command";
  const record = {
    kind: "list",
    rows: () => [{}],
    line: () => "one two three four",
    empty: "",
    isWrapped: true,
  } as const;
  for (const [print, columns, shown] of [
    [
      facts(() => "may       proc.list fs.read\nnone      -"),
      20,
      "may       proc.list\n          fs.read\nnone      -\n",
    ],
    [facts(() => text), 80, `${text}\n`],
    [value(() => text), 20, `${text}\n`],
    [record, 14, "one two three\n  four\n"],
  ] as const) {
    const io = new FakeIo().terminal(columns);
    await printResult(io, print, {}, false);
    expect(io.stdout.text).toBe(shown);
  }
  const pipe = new FakeIo();
  await printResult(pipe, record, {}, false);
  expect(pipe.stdout.text).toBe("one two three four\n");
});
