// Text of models, tools, files, labels and histories never acts on the terminal, however it is cut; approvals make hidden characters visible.

import { describe, expect, test } from "bun:test";
import { approvalBody } from "../../commands/approvals/approval-card-text.ts";
import { SysError } from "../../src/abi/errno.ts";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import { Sanitizer } from "../../src/lib/text/sanitize.ts";
import { plainShell } from "../../tui/plain.ts";
import { type Line, plainLine } from "../../tui/screen/links.ts";
import { type Live, Screen } from "../../tui/screen/screen.ts";
import type { Ask } from "../../tui/state/asks.ts";
import type { Entry } from "../../tui/state/effect.ts";
import { Transcript } from "../../tui/talk/transcript.ts";
import { said } from "../support/chat.ts";
import { FakeClock } from "../support/clock.ts";
import { HOSTILE, SAID } from "../support/hostile-text.ts";
import { actsIn, actsInLines, BARE } from "../support/inert.ts";
import { FakeIo } from "../support/io.ts";
import { Played } from "../support/played.ts";
import { processInfo } from "../support/process-info.ts";
import { oneIn, samples } from "../support/soak.ts";

const SPLIT_BYTES_MAX = 400;
const CUTS_OF_LONG = samples(6, 400);
/** Texts to cut at many places. */
const CUT = oneIn(3, HOSTILE);

/** All places to cut; of a long text a few. */
function cutsOf(bytes: Uint8Array): readonly number[] {
  const count = bytes.length > SPLIT_BYTES_MAX ? CUTS_OF_LONG : bytes.length + 1;
  return Array.from({ length: count }, (_, at) => Math.round((at * bytes.length) / Math.max(1, count - 1)));
}

function decoded(bytes: Uint8Array, cut: number): readonly [string, string] {
  const decoder = new TextDecoder();
  return [decoder.decode(bytes.subarray(0, cut), { stream: true }), decoder.decode(bytes.subarray(cut))];
}

/** The lines of entries, the open answer after each, and the bytes that the screen writes. */
function shownOf(entries: readonly Entry[]): { readonly lines: readonly string[]; readonly written: string } {
  const writes: string[] = [];
  const lines: string[] = [];
  let below: Live = { lines: [], cursor: null };
  const tty = { write: (text: string) => void writes.push(text), columns: 80, rows: 24 };
  const screen = new Screen(tty, new FakeClock(), () => below);
  const commit = (more: readonly Line[]) => {
    lines.push(...more.map(plainLine));
    screen.commit(more);
  };
  const transcript = new Transcript({ theme: BARE, columns: () => 80, commit });
  for (const entry of entries) {
    transcript.add(entry);
    const tail = transcript.tail();
    below = { lines: [...tail.slice(-20), "> "], cursor: null };
    screen.paint();
    lines.push(...tail);
  }
  return { lines, written: writes.join("") };
}

function askOf(text: string, more: Partial<Ask> = {}): Ask {
  const about = { target: text, directory: text, reasons: [text], diff: `- ${text}\n+ ${text}` };
  const asked = { id: "k3x9", kind: "approval", pid: "init:1000", tool: text, call: "shell.exec", why: text } as const;
  return { ...asked, about, hash: "", expiresAt: null, since: 0, args: { command: text, [text]: text }, ...more };
}

describe("of all hostile texts", () => {
  test("there are many kinds", () => {
    expect(HOSTILE.length).toBeGreaterThan(150);
    expect(new Set(HOSTILE.map(({ kind }) => kind)).size).toBeGreaterThan(20);
  });

  test("none acts in an answer that is cut anywhere, while streaming and when committed", () => {
    for (const { kind, text } of CUT) {
      const bytes = new TextEncoder().encode(text);
      for (const cut of cutsOf(bytes)) {
        const [first, second] = decoded(bytes, cut);
        const { lines, written } = shownOf([
          { kind: "delta", turn: 1, text: first },
          { kind: "delta", turn: 1, text: second },
          { kind: "text", turn: 1, text: first + second },
        ]);
        const found = actsInLines(lines) ?? actsIn(written);
        if (found !== null || !lines.join("\n").includes(SAID[0])) expect([kind, text, cut, found]).toBeNull();
      }
    }
  });

  test("none acts in output that is cut anywhere, half letters too", () => {
    for (const { kind, text } of CUT) {
      const whole = new Sanitizer();
      const expected = whole.push(text.toWellFormed()) + whole.end();
      const bytes = new TextEncoder().encode(text);
      for (const cut of cutsOf(bytes)) {
        const cleaner = new Sanitizer();
        const out =
          decoded(bytes, cut)
            .map((piece) => cleaner.push(piece))
            .join("") + cleaner.end();
        if (out !== expected || actsInLines(out.replaceAll("\t", " ").split("\n")) !== null)
          expect([kind, text, cut, out]).toBeNull();
      }
    }
  });

  test("none acts in any other entry of the transcript", () => {
    for (const { kind, text } of HOSTILE) {
      const entries: readonly Entry[] = [
        { kind: "message", text },
        { kind: "command", text, host: true },
        { kind: "retry", reason: text },
        { kind: "result", tool: text, args: { path: text }, ok: true, output: text, tookMs: 1 },
        { kind: "result", tool: "Shell", args: { command: text, [text]: text }, ok: false, output: text, tookMs: null },
        { kind: "decided", ask: askOf(text), decision: "deny", by: text },
        { kind: "decided", ask: askOf(text, { kind: "question", args: { question: text } }), decision: text, by: null },
        { kind: "ended", status: "error", error: text, tookMs: 5000, usage: NO_USAGE },
        { kind: "note", text },
      ];
      const { lines, written } = shownOf(entries);
      const found = actsInLines(lines) ?? actsIn(written);
      if (found !== null) expect([kind, text, found]).toBeNull();
    }
  });

  test("each is shown in an approval with its hidden characters, and no line of it looks like gsv's", () => {
    for (const { kind, text } of HOSTILE) {
      const lines = approvalBody(askOf(text));
      expect([kind, actsInLines(lines)]).toEqual([kind, null]);
      const shown = lines.join("\n");
      const hidden = [...text.toWellFormed()].filter((letter) => actsInLines([letter]) !== null && letter !== "\n");
      for (const letter of hidden) {
        const point = letter.codePointAt(0) ?? 0;
        const name =
          point < 0x20
            ? String.fromCharCode(0x2400 + point)
            : `⟨U+${point.toString(16).toUpperCase().padStart(4, "0")}⟩`;
        expect(shown).toContain(point === 0x09 ? " " : point === 0x7f ? "␡" : name);
      }
      for (const line of lines) expect(line).toStartWith("  ");
    }
  });

  test("an approval names words of two alphabets and odd blanks", () => {
    const shown = approvalBody(askOf("curl https://p\u0430ypal.com && rm\u00a0-rf /")).join("\n");
    expect(shown).toContain("look-alike letters in p\u0430ypal: \u0430 is ⟨U+0430⟩");
    expect(shown).toContain("rm⟨U+00A0⟩-rf");
    expect(approvalBody(askOf("привет мир, hello Ωμέγα")).join("\n")).not.toContain("look-alike letters");
  });
});

const SOME = oneIn(60, HOSTILE);

test("hostile text is inert on the whole screen: models, tools, cards, queues, labels, histories, notices, top", async () => {
  for (const { kind, text } of SOME) {
    const half = Math.floor(text.length / 2);
    const played = await Played.open({
      history: [text],
      theme: BARE,
      prepare: ({ fakeSys }) => hostileKernel(fakeSys, text),
    });
    await played.play(
      said.start({ model: text }),
      said.delta(text, { kind: "thinking" }),
      said.delta(text.slice(0, half)),
      said.delta(text.slice(half)),
      said.text(text),
      said.call(text, { command: text }),
      said.result(false, text),
      said.state("paused", { kind: "person", reason: text }),
      said.hil({ tool: text, args: { command: text }, why: text, about: askOf(text).about }),
    );
    await played.type("\x12be");
    await played.type("\x07");
    await played.type(new TextEncoder().encode(`\x1b[200~${text.replaceAll("\x1b[201~", "")}\x1b[201~`));
    await played.type("\x03");
    await played.play(said.complete("error", text, { error: text }));
    await played.type("\x14");
    await played.until(() => /PID/.test(played.text()));
    await played.type("/\u009b2J\u202e");
    await played.type("\x1b");
    await played.settle(50);
    await played.type("q");
    // gsv asks once where its cursor is, in a write of its own.
    const written = played.writes.filter((each) => each !== "\x1b[6n");
    expect([kind, text, written.length, actsIn(written.join(""))]).toEqual([
      kind,
      text,
      played.writes.length - 1,
      null,
    ]);
    await played.leave();
  }
});

function hostileKernel(fakeSys: FakeIo["fakeSys"], text: string): void {
  const waitsFor = { kind: "approval", id: "k3x9", tool: text, summary: text } as const;
  const info = processInfo({ label: text, owner: text, cwd: text, waitsFor, state: "waiting_hil" });
  fakeSys.answer("proc.get", () => info);
  fakeSys.answer("proc.list", () => ({
    processes: [info, { ...info, pid: "task:abcdef", parentPid: info.pid }],
    next: null,
  }));
  fakeSys.answer("proc.model", () => ({ answers: text }));
  const user = { id: 1, role: "user", content: text, runId: null, timestamp: 0 };
  const answer = {
    ...user,
    id: 2,
    role: "assistant",
    content: { text, thinking: text, toolCalls: [{ id: "c", name: text, args: { path: text } }] },
  };
  const result = {
    ...user,
    id: 3,
    role: "toolResult",
    content: { toolName: text, toolCallId: "c", isError: true, outcome: "failed", output: text },
  };
  fakeSys.answer("proc.history", () => {
    return { pid: info.pid, messages: [user, answer, result], messageCount: 3, inPart: [], hasMoreBefore: false };
  });
}

test("hostile text is inert line by line: answers, files, names, scripts, errors", async () => {
  for (const { kind, text } of oneIn(9, HOSTILE)) {
    const io = new FakeIo().terminal(100);
    hostileKernel(io.fakeSys, text);
    const bytes = Buffer.from(text).toString("base64");
    const output = { pieces: [{ stream: "stdout", bytes }], ended: true };
    const entry = {
      name: text,
      path: text,
      kind: "file",
      type: "file",
      size: 1,
      mode: 0o644,
      owner: text,
      group: text,
      mtimeMs: 0,
    };
    io.fakeSys.answer("system.whoami", () => ({ username: "sam", uid: 1000, home: "/home/sam" }));
    io.fakeSys.answer("shell.run", () => ({
      output,
      exit: 0,
      over: false,
      session: { cwd: text, defined: [], jobs: 0 },
    }));
    io.fakeSys.answer("fs.list", () => ({ entries: [entry], next: null, path: text }));
    io.fakeSys.answer("proc.send", () => {
      throw new SysError("EINVAL", text, [text]);
    });
    const lines = ["echo a | cat", "ls", "logs", ", hello", "!", "/quit"];
    const line = async () => ({ how: "entered", text: lines.shift() ?? "/quit" }) as const;
    const status = await plainShell(io, { version: "0.1.0", line, history: { past: [], add: () => {} } });
    expect([kind, status, actsIn(io.stdout.text + io.stderr.text)]).toEqual([kind, 0, null]);
    expect(io.stdout.text).toContain(SAID[0]);
  }
});
