// Every kind of stdin with every form of a message: the message, the attached data, and the notes. Equal for every form of output.

import { expect, test } from "bun:test";
import type { Input } from "../../commands/command.ts";
import type { Side } from "../../commands/files/copy/side.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { mediaType } from "../../src/lib/media-type.ts";
import { Chat, PID, said } from "../support/chat.ts";
import { runs, stdinOf, until } from "../support/io.ts";
import { oneIn, SEED } from "../support/soak.ts";

// The lazily loaded modules are loaded first: during a disk read, the test's clock would advance.
await import("../../commands/chat/pick.ts");

const PNG = Buffer.from("\x89PNG\r\n\x1a\n and so on", "latin1");
const ZEROS = Buffer.from("a\0b");
const LONG = Buffer.from("é".repeat(LIMITS.messageCharsMax + 1));
const ID = "0190a1b2-0000-7000-8000-0000000000ff";
const never = new Promise<Uint8Array>(() => {});

const soon = (text: string) => new Promise<Uint8Array>((resolve) => setImmediate(() => resolve(Buffer.from(text))));

/** The result: a message, with `{FILE}` for attached data; or the exit status if nothing is sent. */
type Outcome = string | number;

interface Row {
  readonly kind: Input["kind"];
  readonly pieces?: () => readonly (string | Uint8Array | Promise<Uint8Array>)[];
  /** A message as an argument; none; a dash. */
  readonly beside: Outcome;
  readonly alone: Outcome;
  readonly dash: Outcome;
  /** Notes on stderr, besides a message. */
  readonly says?: string;
}

const block = (text: string) => `hi\n\n<stdin bytes="${Buffer.byteLength(text)}">\n${text}\n</stdin>`;
const asFile = ({ length }: Buffer, type: string) => `hi\n\n<stdin bytes="${length}" type="${type}" file="{FILE}"/>`;
const longMessage = `My message is too long to send directly. Read it from this file first.\n\n<message bytes="${LONG.length}" type="text/plain" file="{FILE}"/>`;
const text = { beside: block("data"), alone: "data", dash: "data" };

const MATRIX: { readonly [name: string]: Row } = {
  "a terminal": { kind: "tty", pieces: () => ["typed"], beside: "hi", alone: 2, dash: "typed" },
  "a closed one, or a device": { kind: "none", beside: "hi", alone: 2, dash: 2 },
  "an empty pipe": { kind: "pipe", beside: "hi", alone: 2, dash: 2 },
  "an empty file": { kind: "file", beside: "hi", alone: 2, dash: 2 },
  "a pipe": { kind: "pipe", pieces: () => ["da", "ta"], ...text },
  "a socket": { kind: "socket", pieces: () => ["data"], ...text },
  "a file": { kind: "file", pieces: () => ["data"], ...text },
  "a slow pipe": { kind: "pipe", pieces: () => [soon("da"), soon("ta")], ...text },
  "a silent pipe": { kind: "pipe", pieces: () => [never], beside: "hi", alone: 124, dash: 124, says: "--no-stdin" },
  "a pipe that never ends": {
    kind: "pipe",
    pieces: () => ["x", never],
    beside: 124,
    alone: 124,
    dash: 124,
    says: "1 B so far",
  },
  "a long text": {
    kind: "pipe",
    pieces: () => [LONG],
    beside: asFile(LONG, "text/plain"),
    alone: longMessage,
    dash: longMessage,
  },
  "an image": { kind: "file", pieces: () => [PNG], beside: asFile(PNG, "image/png"), alone: 2, dash: 2 },
  "bytes that are no text": {
    kind: "pipe",
    pieces: () => [ZEROS],
    beside: asFile(ZEROS, "application/octet-stream"),
    alone: 2,
    dash: 2,
  },
  "more than is held": {
    kind: "pipe",
    pieces: () => Array<Uint8Array>(26).fill(new Uint8Array(1024 * 1024)),
    ...{ beside: 6, alone: 6, dash: 6 },
  },
};

const FORMS = [[], ["--json"], ["--output", "json"], ["--new"], ["--stream"], ["-x"], ["--pid", PID]] as const;

interface Sent {
  readonly message: string;
  readonly media?: readonly string[];
}

/** The conversation up to its message, which is answered; returns the message and its notes, or the exit status. */
async function outcomeOf(chat: Chat, argv: readonly string[]): Promise<{ outcome: Outcome; sent: Sent | null }> {
  let over = false;
  const exit = runs(chat.io, "chat", "--timeout", "9", ...argv).finally(() => {
    over = true;
  });
  const asked = () => chat.io.fakeSys.asked("proc.send") as unknown as Sent[];
  for (let ms = 0; ms < 9000 && !over && asked().length === 0; ms += 500) {
    // Available input is read before time passes.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (!over && asked().length === 0) await chat.settle(500);
  }
  await until(() => over || asked().length > 0);
  const [sent] = asked();
  if (sent === undefined) return { outcome: await exit, sent: null };
  await chat.settle();
  await chat.play(said.complete("ok", "```\nthe answer\n```"));
  expect(await exit).toBe(0);
  expect(chat.out).toContain("the answer");
  return { outcome: sent.message, sent };
}

function takesMedia({ io: { fakeSys } }: Chat): Buffer[] {
  const pieces: Buffer[] = [];
  fakeSys.answer("proc.spawn", () => ({ pid: PID }));
  fakeSys.answer("proc.history", () => ({ pid: PID }));
  fakeSys.answer("proc.media.put", ({ data, more }: { data: string; more?: boolean }) => {
    pieces.push(Buffer.from(data, "base64"));
    const whole = Buffer.concat(pieces);
    const { type, extension } = mediaType(whole);
    const media = { id: ID, type, bytes: whole.length, path: `/var/media/${ID}.${extension}` };
    return { id: ID, received: whole.length, media: more ? null : media };
  });
  return pieces;
}

for (const [nth, [name, row]] of Object.entries(MATRIX).entries())
  test(`${name} as stdin`, async () => {
    const messages = { beside: ["hi"], alone: [], dash: ["-"] };
    for (const [place, words] of Object.entries(messages))
      for (const form of oneIn(3, FORMS, SEED + nth)) {
        const chat = new Chat();
        chat.io.stdin = stdinOf(row.kind, row.pieces?.() ?? []);
        const given = takesMedia(chat);
        const { outcome, sent } = await outcomeOf(chat, [...form, ...words]);
        const path = `/var/media/${ID}.${mediaType(Buffer.concat(given)).extension}`;
        const wanted = row[place as keyof typeof messages];
        const where = `${form.join(" ")} ${words.join(" ")}`;
        expect([where, outcome]).toEqual([where, typeof wanted === "string" ? wanted.replace("{FILE}", path) : wanted]);
        const isBeside = typeof wanted === "string" && wanted.includes("{FILE}");
        expect(sent?.media ?? []).toEqual(isBeside ? [ID] : []);
        if (isBeside) expect(Buffer.concat(given).equals(Buffer.concat((row.pieces?.() ?? []) as Buffer[]))).toBe(true);
        if (row.says !== undefined) expect(chat.out + chat.err).toContain(row.says);
        if (typeof outcome === "number") expect(chat.err).not.toBe("");
      }
  });

test.each(Object.entries(MATRIX))("--no-stdin reads none: %s", async (_name, { kind, pieces }) => {
  const chat = new Chat();
  chat.io.stdin = stdinOf(kind, pieces?.() ?? []);
  expect((await outcomeOf(chat, ["--no-stdin", "hi"])).outcome).toBe("hi");
});

test("--input jsonl leaves stdin to the answers, and -a - to attachments", async () => {
  const chat = new Chat();
  chat.io.stdin = stdinOf("pipe", ["\n"]);
  expect((await outcomeOf(chat, ["--input", "jsonl", "hi"])).outcome).toBe("hi");
  const other = new Chat();
  other.io.stdin = stdinOf("none");
  expect((await outcomeOf(other, ["-a", "-", "hi"])).outcome).toBe(2);
});

test("--stdin-wait sets how long a pipe may be silent", async () => {
  const chat = new Chat();
  chat.io.stdin = stdinOf("pipe", [never]);
  const exit = runs(chat.io, "chat", "--stdin-wait", "7.5", "hi");
  await until(() => chat.io.clock.pending > 0);
  await chat.settle(7499);
  expect(chat.io.fakeSys.asked("proc.send")).toEqual([]);
  await chat.settle(1);
  await until(() => chat.io.fakeSys.asked("proc.send").length > 0);
  expect(chat.err).toContain("no data on stdin for 7.5 s");
  await chat.settle();
  await chat.play(said.complete("ok", "yes"));
  expect(await exit).toBe(0);
});

function machineWith(files: { readonly [path: string]: Buffer }): Side {
  const side: Partial<Side> = {
    look: async (path) =>
      path in files ? { kind: "file", mode: 0o600, mtimeMs: 0, size: files[path]!.length, real: path } : null,
    async *read(path) {
      yield files[path]!;
    },
  };
  return side as Side;
}

test("--file is the message, stdin its data; long ones are attached, each with its kind", async () => {
  const files = { "ask.md": Buffer.from("Review.\n"), "long.md": LONG, "shot.png": PNG, "empty.md": Buffer.alloc(0) };
  const ask = async (argv: readonly string[], ...pieces: (string | Uint8Array)[]) => {
    const chat = new Chat();
    chat.io.side = machineWith(files);
    chat.io.stdin = stdinOf("pipe", pieces);
    takesMedia(chat);
    return (await outcomeOf(chat, argv)).outcome;
  };
  expect(await ask(["-f", "ask.md"])).toBe("Review.\n");
  expect(await ask(["-f", "ask.md"], "x")).toBe('Review.\n\n\n<stdin bytes="1">\nx\n</stdin>');
  expect(await ask(["--file", "-"], "from stdin")).toBe("from stdin");
  const both = await ask(["-f", "long.md"], ZEROS);
  expect(both).toContain(`<message bytes="${LONG.length}" type="text/plain"`);
  expect(both).toContain(`<stdin bytes="3"`);
  expect(await ask(["-f", "shot.png"])).toBe(2);
  expect(await ask(["-f", "empty.md"])).toBe(2);
  expect(await ask(["-f", "none.md"])).toBe(3);
  expect(await ask(["-f", "ask.md", "and more"])).toBe(2);
});
