// Reading aloud, without a browser: what is read, by which voice, and in which order.

import { describe, expect, test } from "bun:test";
import { localVoice } from "../../../tui/web/speech/local-voice.ts";
import { type Mouth, Reader, type Reading } from "../../../tui/web/speech/reader.ts";
import { sentencesOf } from "../../../tui/web/speech/sentences.ts";

describe("what is read", () => {
  test.each([
    ["Hello. How are you?\nFine!", ["Hello.", "How are you?", "Fine!"]],
    ["# A title\n\nText with **bold** and `code`.", ["A title", "Text with bold and code."]],
    ["- one\n- two\n  - three", ["one", "two", "three"]],
    ["1. first\n2. second", ["first", "second"]],
    ["| a | b |\n|---|---|\n| 1 | 2 |", ["a, b", "1, 2"]],
    ["> quoted", ["quoted"]],
    ["Before.\n\n```sh\nrm -rf /\n```\n\nAfter.", ["Before.", "Code.", "After."]],
    ["See [the manual](https://a.test/b) or https://c.test/d today.", ["See the manual or link today."]],
    ["<script>alert(1)</script>\n\nText <b>here</b>.", ["Text here."]],
    ["\u001b[31mred\u001b[0m\u202e", ["red"]],
    ["---\n\n***\n\n…", []],
    ["", []],
  ])("of %j is %j", (markdown, sentences) => {
    expect(sentencesOf(markdown)).toEqual(sentences);
  });

  test("comes in pieces that an engine can take, cut at commas or spaces, and nothing is lost", () => {
    const long = `${"word ".repeat(60)}, ${"other ".repeat(60)}`.trim();
    const parts = sentencesOf(long);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.every((part) => part.length <= 240)).toBe(true);
    expect(parts.join(" ").replace(/\s+/g, " ")).toBe(long.replace(/\s+/g, " "));
    expect(sentencesOf("x".repeat(1000)).join("")).toBe("x".repeat(1000));
  });

  test("has a limit, also for text that nests without end", () => {
    expect(sentencesOf("Go. ".repeat(100_000)).length).toBeLessThan(20_000);
    expect(sentencesOf(`${"> ".repeat(2000)}deep`)).toEqual([]);
  });
});

describe("the voice", () => {
  const voice = (name: string, lang: string, more: object = {}) => ({
    ...{ name, lang, localService: true, default: false },
    ...more,
  });

  test.each([
    ["of the same region first", [voice("a", "en-GB"), voice("b", "en-US")], ["en-US"], "b"],
    ["of the same language otherwise", [voice("a", "de-DE"), voice("b", "en-GB")], ["en-US"], "b"],
    ["of an earlier language", [voice("a", "de-DE"), voice("b", "fr-FR")], ["fr", "de"], "b"],
    ["that is the default one", [voice("a", "en-US"), voice("b", "en-US", { default: true })], ["en-US"], "b"],
    ["with an underscore in its language", [voice("a", "de_DE"), voice("b", "en_US")], ["en-US"], "b"],
    ["of another language if there is no other", [voice("a", "de-DE")], ["en-US"], "a"],
    [
      "on this computer, never one that sends the text away",
      [voice("a", "en-US", { localService: false, default: true }), voice("b", "fr-FR")],
      ["en-US"],
      "b",
    ],
    ["is none if all send the text away", [voice("a", "en-US", { localService: false })], ["en-US"], null],
    ["is none if there are none", [], ["en-US"], null],
  ])("%s", (_which, voices, languages, expected) => {
    expect(localVoice(voices, languages)?.name ?? null).toBe(expected);
  });
});

/** A mouth that notes what it does and says each sentence when it is let. */
class FakeMouth implements Mouth {
  readonly done: string[] = [];
  private ends: (() => void)[] = [];

  async prepare(sentence: string) {
    if (sentence === "broken") throw new Error("no sound");
    this.done.push(`prepare ${sentence}`);
    return () => {
      this.done.push(`say ${sentence}`);
      return new Promise<void>((resolve) => this.ends.push(resolve));
    };
  }

  async end(): Promise<void> {
    await settled();
    for (const end of this.ends.splice(0)) end();
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

describe("the reader", () => {
  function reading(mouth: Mouth | null = new FakeMouth()) {
    const reader = new Reader(async () => mouth, "no voice");
    const seen: Reading[] = [];
    reader.subscribe(() => seen.push(reader.snapshot()));
    return { reader, seen };
  }

  test("says one sentence after the other, and prepares the next one meanwhile", async () => {
    const mouth = new FakeMouth();
    const { reader } = reading(mouth);
    const all = reader.read("a", ["one", "two"]);
    await mouth.end();
    expect(reader.snapshot()).toEqual({ kind: "reading", key: "a", at: 1, of: 2 });
    await mouth.end();
    await all;
    expect(mouth.done).toEqual(["prepare one", "prepare two", "say one", "say two"]);
    expect(reader.snapshot()).toEqual({ kind: "quiet" });
  });

  test("stops at once, and says nothing more", async () => {
    const mouth = new FakeMouth();
    const { reader } = reading(mouth);
    void reader.read("a", ["one", "two", "three"]);
    await settled();
    reader.stop();
    await mouth.end();
    expect(reader.snapshot()).toEqual({ kind: "quiet" });
    expect(mouth.done.filter((each) => each.startsWith("say"))).toEqual(["say one"]);
  });

  test("reads another text in place of the one before", async () => {
    const mouth = new FakeMouth();
    const { reader } = reading(mouth);
    void reader.read("a", ["one", "two"]);
    await settled();
    const second = reader.read("b", ["other"]);
    await mouth.end();
    await mouth.end();
    await second;
    expect(mouth.done.filter((each) => each.startsWith("say"))).toEqual(["say one", "say other"]);
  });

  test("says that there is no voice, and what fails", async () => {
    const { reader } = reading(null);
    await reader.read("a", ["one"]);
    expect(reader.snapshot()).toEqual({ kind: "failed", key: "a", text: "no voice" });
    const failing = reading(new FakeMouth());
    await failing.reader.read("a", ["broken"]);
    expect(failing.reader.snapshot()).toEqual({
      ...{ kind: "failed", key: "a" },
      text: "The voice failed: Error: no sound",
    });
  });

  test("of an empty text is quiet again", async () => {
    const { reader, seen } = reading();
    await reader.read("a", []);
    expect(seen.at(-1)).toEqual({ kind: "quiet" });
  });
});
