// Accepted values come back exactly as given, through history, files, archives and the registry; others are refused.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { normaliseText } from "../../src/abi/process/message.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Closed } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { samples } from "../support/soak.ts";

const SEED = 20260103;
const text = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
  fc.constantFrom(
    "--help",
    "-1",
    " spaced  out ",
    "é",
    "e\u0301",
    "\u202eevil",
    "a\r\nb",
    "９",
    "\u{1f600}",
    "'\"\\$`",
  ),
);

test("a message is stored in history and archive as sent, with NUL and lone surrogates replaced", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  const sent: string[] = [];
  await fc.assert(
    fc.asyncProperty(
      text.filter((each) => each.trim() !== ""),
      async (message) => {
        await home.send(message);
        sent.push(normaliseText(message));
      },
    ),
    { seed: SEED, numRuns: samples(50, 900) },
  );
  const { archiveId } = await home.sys.call<Closed>("proc.reset", {});
  const kept: unknown[] = [];
  for (let after: number | null = 0; after !== null; ) {
    type Page = { records: { content: string }[]; next: number | null };
    const page: Page = await home.sys.call<Page>("archive.show", { id: archiveId, after });
    kept.push(...page.records.map((record) => record.content));
    after = page.next;
  }
  expect(kept).toEqual(sent);
});

test("the longest allowed message is answered, and one character more is refused", async () => {
  await using home = await TestKernel.boot();
  const longest = "é".repeat(LIMITS.messageCharsMax);
  await home.say(longest);
  expect((await home.messages(INIT))[0]?.content).toBe(longest);
  const refused = await home.refusal("proc.send", { message: `${longest}x` });
  expect([refused.code, refused.message]).toEqual([
    "EINVAL",
    expect.stringMatching(/^message has 262145 characters; at most 262144/),
  ]);
});

test("an empty message is refused", async () => {
  await using home = await TestKernel.boot();
  for (const message of ["", " ", "\n\t\u3000"]) {
    expect(await home.refusal("proc.send", { message })).toMatchObject({ code: "EINVAL", message: "message is empty" });
  }
  expect(await home.messages(INIT)).toEqual([]);
});

test("labels come back as they were given, or are refused for a control character", async () => {
  await using home = await TestKernel.boot();
  await fc.assert(
    fc.asyncProperty(text, async (label) => {
      if (/\p{Cc}/u.test(normaliseText(label)))
        return expect((await home.refusal("proc.spawn", { label })).code).toBe("EINVAL");
      const { pid } = await home.spawn({ label });
      expect((await home.sys.call<ProcessInfo>("proc.get", { pid })).label).toBe(normaliseText(label));
    }),
    { seed: SEED, numRuns: samples(20, 500) },
  );
});

test("a file holds exactly the bytes written to it, whatever its name", async () => {
  await using home = await TestKernel.boot();
  const name = fc.constantFrom(
    "plain",
    " spaced",
    "-dash",
    "--",
    "ünï",
    "a'b\"c",
    "per%cent",
    "dot.",
    "...",
    "new\nline",
    "\u202e",
    "__proto__",
  );
  await fc.assert(
    fc.asyncProperty(name, text, async (file, content) => {
      const path = `/home/sam/files/${file}`;
      await home.sys.call("fs.write", { path, content });
      const stored = await home.stores.objects.read(`home/sam/files/${file}`, { offset: 0, bytesMax: 1000 });
      expect(Buffer.from(stored).toString()).toBe(normaliseText(content));
    }),
    { seed: SEED, numRuns: samples(30, 500) },
  );
});
