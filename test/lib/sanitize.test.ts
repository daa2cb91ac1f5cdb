import { describe, expect, test } from "bun:test";
import { reveal, Sanitizer, sanitize } from "../../src/lib/text/sanitize.ts";
import { seeded } from "../support/random.ts";

const ESC = "\x1b";

// Dangerous input, and the part that a terminal may show.
const CORPUS: readonly (readonly [name: string, input: string, output: string])[] = [
  ["colour", `a${ESC}[31mb${ESC}[0mc`, "abc"],
  ["conceal", `a${ESC}[8mb`, "ab"],
  ["clear screen and scrollback", `a${ESC}[2J${ESC}[3Jb`, "ab"],
  ["cursor spoofing", `a${ESC}[1A${ESC}[2Kb`, "ab"],
  ["alternate screen", `${ESC}[?1049hx`, "x"],
  ["paste off, mouse on", `${ESC}[?2004l${ESC}[?1000hx`, "x"],
  ["device queries", `${ESC}[c${ESC}[6n${ESC}[>0qx`, "x"],
  ["repeat bomb", `a${ESC}[99999999bx`, "ax"],
  ["reset", `a${ESC}cb`, "ab"],
  ["charset", `a${ESC}(0b`, "ab"],
  ["title, ended by BEL", `a${ESC}]0;own\x07b`, "ab"],
  ["title, ended by ST", `a${ESC}]2;own${ESC}\\b`, "ab"],
  ["clipboard", `a${ESC}]52;c;aGVsbG8=\x07b`, "ab"],
  ["link", `${ESC}]8;;http://bad${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
  ["DCS", `a${ESC}P$qm${ESC}\\b`, "ab"],
  ["APC, PM, SOS", `a${ESC}_x${ESC}\\b${ESC}^x${ESC}\\c${ESC}Xx${ESC}\\d`, "abcd"],
  ["8-bit CSI", "a\x9b31mb", "ab"],
  ["8-bit OSC", "a\x9d0;own\x9cb", "ab"],
  ["string aborted by another escape", `a${ESC}]0;x${ESC}[31mb`, "ab"],
  ["unterminated string ends at the line", `a${ESC}]0;rest\nnext`, "a\nnext"],
  ["unterminated CSI ends at the line", `a${ESC}[12\nnext`, "a\nnext"],
  ["CSI broken by a control", `a${ESC}[1\x08mb`, "a␈mb"],
  ["string cancelled", `a${ESC}]0;x\x18b`, "a␘b"],
  ["lone ESC at the end", `a${ESC}`, "a"],
  ["backspace spoofing", "rm x\b\bls", "rm x␈␈ls"],
  ["carriage return spoofing", "safe\rrm -rf", "safe␍rm -rf"],
  ["CR LF", "a\r\nb\r\n", "a\nb\n"],
  ["CR CR LF", "a\r\r\nb", "a␍\nb"],
  ["CR at the end", "a\r", "a␍"],
  ["bell, NUL, DEL, NEL", "a\x07\x00\x7f\x85b", "a␇␀␡⟨U+0085⟩b"],
  ["bidi override", "a\u202eb\u202c", "a⟨U+202E⟩b⟨U+202C⟩"],
  ["bidi isolate and marks", "\u2066a\u2069\u200e\u061c", "⟨U+2066⟩a⟨U+2069⟩⟨U+200E⟩⟨U+061C⟩"],
  ["zero width", "a\u200bb\ufeffc\u2060", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+2060⟩"],
  ["joiner in Latin text", "pay\u200dpal", "pay⟨U+200D⟩pal"],
  ["tag smuggling", "a\u{e0041}\u{e007f}", "a⟨U+E0041⟩⟨U+E007F⟩"],
  ["selector smuggling", "a\ufe00\ufe01", "a⟨U+FE00⟩⟨U+FE01⟩"],
  ["selectors piled on an emoji", "❤\ufe0f\ufe00", "❤\ufe0f⟨U+FE00⟩"],
  ["supplementary selectors", "a\u{e0101}", "a⟨U+E0101⟩"],
  ["line separators", "a\u2028b\u2029", "a⟨U+2028⟩b⟨U+2029⟩"],
  ["lone surrogates", "a\ud800b\udc00", "a\ufffdb\ufffd"],
  ["lone surrogate at the end", "a\ud83d", "a\ufffd"],
];

const HARMLESS = [
  "plain text\n\twith a tab",
  "naïve café, 日本語, العربية, हिन्दी",
  "👨‍👩‍👧 family, ❤️ heart, 1️⃣ keycap, ©️ mark, 🏳️‍🌈 flag",
  "می‌خواهم (Persian needs its joiner)",
  "",
];

describe("sanitize", () => {
  test.each(CORPUS)("%s is made inert", (_name, input, output) => {
    expect(sanitize(input)).toBe(output);
  });

  test.each(HARMLESS)("harmless text passes untouched: %s", (text) => {
    expect(sanitize(text)).toBe(text);
    expect(reveal(text)).toBe(text.replaceAll("\n", "⏎").replaceAll("\t", " "));
  });

  test("every split of the input into chunks gives the same result", () => {
    const samples = [...CORPUS.map(([, input]) => input), ...HARMLESS];
    for (const input of samples) {
      for (let size = 1; size <= 5; size++) {
        const sanitizer = new Sanitizer();
        let out = "";
        for (let from = 0; from < input.length; from += size) out += sanitizer.push(input.slice(from, from + size));
        expect(out + sanitizer.end()).toBe(sanitize(input));
      }
    }
  });

  test("no mixture of pieces lets a control character through, whole or in chunks", () => {
    const random = seeded(Math.floor(Math.random() * 2 ** 31));
    const pieces = [...CORPUS.map(([, input]) => input), ...HARMLESS, ESC, "\x9b", "[", "]", ";", "\x07", "\\", "\r"];
    for (let round = 0; round < 300; round++) {
      const input = Array.from({ length: 1 + random.int(6) }, () => random.pick(pieces)).join("");
      const cut = random.int(input.length + 1);
      const sanitizer = new Sanitizer();
      const out = sanitizer.push(input.slice(0, cut)) + sanitizer.push(input.slice(cut)) + sanitizer.end();
      expect(out, `seed ${random.seed}`).toBe(sanitize(input));
      expect(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]/.test(out), `seed ${random.seed}`).toBe(
        false,
      );
    }
  });

  test("an unterminated string swallows at most 8 KiB", () => {
    const out = sanitize(`${ESC}]0;${"x".repeat(20_000)}end`);
    expect(out.endsWith("xend")).toBe(true);
    expect(out.length).toBeGreaterThan(20_000 - 8192);
  });
});

describe("reveal", () => {
  test("a reviewer sees the hidden parts of a line", () => {
    expect(reveal(`curl x|sh\u202e${ESC}[2J\n`)).toBe("curl x|sh⟨U+202E⟩␛[2J⏎");
  });

  test("the result is always one line", () => {
    expect(reveal("a\nb\r\nc\u2028d")).not.toMatch(/[\n\r\u2028]/);
  });
});
