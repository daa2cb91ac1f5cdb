// The manual on the command line: contents, pages by name, search, help by topic. Data about commands comes from their declarations.

import { beforeEach, describe, expect, test } from "bun:test";
import { layout, markdownBlocks, PLAIN } from "../../commands/man/layout.ts";
import { Book } from "../../commands/man/man-book.ts";
import { summaries } from "../../commands/man/summaries.ts";
import { COMMANDS } from "../../commands/table.ts";
import { MANUAL } from "../../src/prompts/manual.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { FakeIo, runs } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { drawn } from "../support/soak.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

async function printed(...argv: string[]): Promise<string> {
  io = new FakeIo();
  io.peek = async () => null as never;
  expect([await runs(io, ...argv), io.stderr.text]).toEqual([0, ""]);
  expect(io.fakeSys.calls).toEqual([]);
  return io.stdout.text;
}

describe("gsv man", () => {
  test("adjacent source lines of a page form one paragraph or one item", () => {
    const source = "One\ntwo.\n\n- a\n  b\n- c\n\n```sh\nls\n\nps\n```\n\nThree\nfour.\n";
    expect(markdownBlocks(source)).toEqual([
      { kind: "text", text: "One two." },
      { kind: "item", text: "a b" },
      { kind: "item", text: "c" },
      { kind: "code", lines: ["ls", "", "ps"] },
      { kind: "text", text: "Three four." },
    ]);
  });

  test("without a name it lists every command, every syscall and every page", async () => {
    const text = await printed("man");
    for (const [name, summary] of await summaries(COMMANDS))
      expect(text.includes(`\n  ${name} `) || text.includes(`\n  ${name} list `)).toBe(summary !== "");
    for (const { name } of SYSCALLS.values()) expect(text).toContain(`\n  ${name} `);
    for (const { page, about } of MANUAL)
      expect(text).toMatch(new RegExp(`\n  ${page} +${about.replace(/\.$/, "")}\n`));
    expect(text).toMatch(/\n {2}syscalls +All syscalls/);
    expect(text).not.toContain("__complete");
  });

  test("no page shows a fence", async () => {
    for (const page of new Set(MANUAL.map((section) => section.page)))
      expect(await printed("man", "7", page)).not.toContain("```");
  });

  test("a command's page has its name, synopsis, flags with defaults, examples, exit statuses and see also", async () => {
    const text = await printed("man", "proc", "spawn");
    const titles = text.split("\n").filter((line) => /^[A-Z]/.test(line));
    expect(titles).toEqual(["NAME", "SYNOPSIS", "DESCRIPTION", "FLAGS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"]);
    expect(text).toMatch(/--profile NAME +kind of process \(init, task, .*\) \[task\]/);
    expect(text).toMatch(/SEE ALSO\n.*gsv spawn\(1\).*gsv proc\(1\).*proc\.spawn\(2\)/);
  });

  test("every listed command has a page with an example, its summary and its exit statuses", async () => {
    const listing = await printed("man", "--json");
    const rows = listing
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const book = new Book(MANUAL, COMMANDS);
    for (const { name, summary } of rows.filter(({ section }) => section === 1)) {
      const page = await book.page(["1", ...name.split(" ")]);
      const text = layout(page?.parts ?? [], PLAIN);
      expect(text).toContain(`gsv ${name} - `);
      expect(text).toContain("EXAMPLES\n  ");
      expect(text).toContain("EXIT STATUS\n  0");
      expect(summary).not.toBe("");
    }
    expect(rows.length).toBeGreaterThan(70);
  });

  test("a command's own exit statuses are those on its page", async () => {
    expect(await printed("man", "wait")).toMatch(/EXIT STATUS\n {2}0 ok or never ran, 1 failed, 130 aborted/);
  });

  test("a name in several sections means the command; the section number selects the page", async () => {
    expect(await printed("man", "chat")).toStartWith("NAME\n  gsv chat - ");
    expect(await printed("man", "chat")).toContain("chat(7)");
    const page = await printed("man", "7", "chat");
    expect(page).toStartWith("chat - Send messages to your agents");
    expect(await printed("man", "chat(7)")).toBe(page);
    expect(await printed("man", "gsv", "proc", "list")).toStartWith("NAME\n  gsv proc list - ");
  });

  test("below a command is the page of the same name, unless a section is given", async () => {
    for (const name of ["hooks", "models", "undo", "context", "storage"]) {
      const [about = "", ...sections] = (await printed("man", "7", name)).split("\n\n");
      const both = await printed("man", name);
      expect(both).toContain(`${name}(7)\n  ${about.replace(`${name} - `, "")}`);
      expect(both).toEndWith(sections.join("\n\n"));
      expect(await printed("man", "1", name)).not.toContain(`${name}(7)\n  `);
    }
  });

  test("a syscall's page is its declaration", async () => {
    const text = await printed("man", "hil.answer");
    expect(text).toContain("Only people may call it");
    expect(text).toContain("`decision` (approve, deny, answer): decision");
    expect(await printed("man", "syscalls")).toContain("hil.answer\n");
  });

  test("a noun's page lists its verbs", async () => {
    expect(await printed("man", "archive")).toMatch(/COMMANDS\n {2}gsv archive list +List archived/);
  });

  test("with --json a page is one object of titled parts", async () => {
    const page = JSON.parse(await printed("man", "kill", "--json"));
    expect(page).toMatchObject({ name: "kill", section: 1 });
    expect(page.parts.map(({ title }: { title: string }) => title)).toContain("EXIT STATUS");
  });

  test("an unknown name exits 3 with the nearest ones", async () => {
    expect(await runs(io, "man", "aprovals")).toBe(3);
    expect(io.stderr.lines[0]).toBe("gsv: the manual has no page aprovals");
    expect(io.stderr.text).toContain("did you mean gsv man approvals");
    for (const name of ["__proto__", "__complete", "7", "x".repeat(200)]) expect(await runs(io, "man", name)).toBe(3);
    expect(io.stdout.text).toBe("");
  });

  test("no line of any page is cut or wrapped in a pipe", async () => {
    const section = MANUAL.find(({ text }) => text.split("\n").some((line) => line.length > 200));
    const long = section?.text.split("\n").find((line) => line.length > 200) ?? "?";
    expect(await printed("man", "7", section?.page ?? "")).toContain(long.replace(/^- /, ""));
  });
});

describe("gsv man -k", () => {
  const questions: [words: string, line: RegExp][] = [
    ["pause a process", /^signals\(7\) - Pause a process$/m],
    ["spawn", /^gsv spawn\(1\) - /m],
    ["request id", /^output-and-json\(7\) - Call any syscall with JSON$/m],
    ["archive checksum", /^gsv archive verify\(1\) - /m],
    ["drain", /^sys\.drain\(2\) - /m],
    ["exit status of wait", /wait\(1\) - /],
  ];
  test.each([...drawn(2, questions)])("%p finds it", async (words, line) => {
    expect(await printed("man", "-k", ...words.split(" "))).toMatch(line);
  });

  test("on a terminal titles and commands are colored, with the same text", async () => {
    const shown = async (env: { [name: string]: string }) => {
      io = new FakeIo().terminal(80);
      io.env = env;
      expect(await runs(io, "man", "7", "script-provider")).toBe(0);
      return io.stdout.text;
    };
    const [coloured, plain] = [await shown({}), await shown({ NO_COLOR: "1" })];
    expect(coloured).toContain("\n\x1b[1mPlay answers from a file\x1b[22m\n");
    expect(coloured).toContain("begin with \x1b[36m`#`\x1b[39m");
    expect(Bun.stripANSI(coloured)).toBe(plain);
    expect(plain).not.toContain("\x1b");
  });

  test("on a terminal no word is broken at the edge", async () => {
    const words = new Set((await printed("man", "-k", "list")).split(/\s+/));
    io = new FakeIo().terminal(44);
    io.peek = async () => null as never;
    expect(await runs(io, "man", "-k", "list")).toBe(0);
    for (const line of io.stdout.lines) expect(line.length).toBeLessThanOrEqual(44);
    expect(io.stdout.text.split(/\s+/).filter((word) => word !== "" && !words.has(word))).toEqual([]);
  });

  test("rows are objects with --json, and an empty result is reported on stderr alone", async () => {
    const rows = (await printed("man", "-k", "approvals", "--json"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows[0]).toHaveProperty("summary");
    io = new FakeIo();
    io.peek = async () => null as never;
    expect(await runs(io, "man", "-k", "xylophone")).toBe(0);
    expect([io.stdout.text, io.stderr.text]).toEqual(["", "(no match in the manual)\n"]);
  });

  test("your own skills, context and knowledge come first if they match better than the manual", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("fs.write", {
      path: "~/knowledge/zoo/walrus.md",
      content: "# The walrus project\n\nIt begins in March.\n",
    });
    io = new FakeIo();
    io.peek = async () => (await home.client()) as never;
    expect(await runs(io, "man", "-k", "when", "does", "the", "walrus", "begin")).toBe(0);
    expect(io.stdout.text).toStartWith("~/knowledge/zoo/walrus.md - The walrus project\n");
    io.stdout.text = "";
    expect(await runs(io, "man", "-k", "several", "processes", "gather")).toBe(0);
    expect(io.stdout.text).toMatch(/^~friday\/skills\.d\/processes\.md - Split work over several processes/m);
  });

  test("a search without words is a usage error", async () => expect(await runs(io, "man", "-k")).toBe(2));
});

describe("gsv help TOPIC", () => {
  test("a command, a noun with its verb, a page and a section title each have their text", async () => {
    expect(await printed("help", "chat")).toStartWith("gsv chat: ");
    expect(await printed("help", "proc", "spawn")).toStartWith("gsv proc spawn: ");
    expect(await printed("help", "exit-status")).toStartWith("exit-status - ");
    expect(await printed("help", "exit", "status")).toStartWith("exit-status - ");
    const section = await printed("help", "Quote paths that begin with ~");
    expect(section).toContain("Quote paths that begin with ~\n");
    expect(section).not.toContain("Copy a file");
    expect(await printed("help", "fs.read")).toContain("For agents it is the tool `Read`");
  });

  test("an unknown topic exits 3 with the nearest names, such as the noun of a bare verb", async () => {
    expect(await runs(io, "help", "trace")).toBe(3);
    expect(io.stderr.lines).toEqual([
      "gsv: no help on trace",
      "  did you mean gsv help proc trace or gsv help strace",
      "  gsv help lists the commands; gsv man -k WORD… searches the manual",
    ]);
  });
});
