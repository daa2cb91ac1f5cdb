// A conversation on a terminal with a process that asks: the question is shown at once, and the answer decides how the run continues.

import { expect, test } from "bun:test";
import type { Io } from "../../commands/command.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { FakeOutput, stdinOf } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { begin, finish, type Typed, type Typing } from "../support/shell.ts";

const DELETE = { name: "Delete", args: { path: "~/a" } };
/** Past the first moments of a question. */
const READ_MS = 450;

interface Asked {
  readonly question: string;
  answer(line: string): void;
  /** ctrl-d */
  end(): void;
}

/** A terminal on which each question waits for the input of the test. */
class Terminal {
  readonly asked: Asked[] = [];
  typing!: Typing;

  constructor(readonly home: TestKernel) {}

  async chat(...words: string[]): Promise<this> {
    const stderr = new FakeOutput();
    Object.assign(stderr, { isTTY: true });
    const person: Io["person"] = {
      answersHere: () => true,
      ask: (question) =>
        new Promise((resolve, reject) => {
          void stderr.write(question);
          this.asked.push({ question, answer: resolve, end: () => reject(new Error("cancelled")) });
        }),
      askHidden: async () => "",
      edit: async ({ text }) => ({ text: text.replace("~/a", "~/b"), done: () => {}, keep: () => "" }),
    };
    this.typing = { ...(await begin(this.home, ["chat", ...words], stdinOf("tty"), { person, stderr })), stderr };
    return this;
  }

  /** The question with that number, once it was visible long enough to be read. */
  async question(number = 1): Promise<Asked> {
    await this.home.until("a question is put", async () => this.asked.length >= number);
    await this.home.clock.advance(READ_MS);
    return this.asked.at(-1)!;
  }

  async end(): Promise<Typed> {
    return { ...(await finish(this.home, this.typing)), stderr: this.typing.stderr.text };
  }
}

async function asking(...replies: Parameters<TestKernel["model"]["will"]>[1][]): Promise<TestKernel> {
  const home = await TestKernel.boot();
  home.model.will(INIT, { calls: [DELETE] }, ...replies);
  return home;
}

async function open({ sys }: TestKernel): Promise<Approval> {
  return (await sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals[0]!;
}

test("y allows the call once, and the answer follows", async () => {
  await using home = await asking({ text: "Gone." });
  const at = await new Terminal(home).chat("tidy");
  const { question, answer } = await at.question();
  expect(question).toBe("gsv: y once · a always · e edit · n [why] no · enter later: ");
  answer("y");
  const { status, stdout, stderr } = await at.end();
  expect([status, stdout]).toEqual([0, "Gone.\n"]);
  expect(stderr).not.toContain("answer with");
  expect(stderr).not.toContain("approved by");
});

test("n refuses, and the rest of the line is sent to the process as the reason", async () => {
  await using home = await asking({ text: "I keep it." });
  const at = await new Terminal(home).chat("tidy");
  (await at.question()).answer("n, it is the only copy");
  expect((await at.end()).status).toBe(0);
  const said = JSON.stringify(await home.sys.call("proc.history", { pid: INIT }));
  expect(said).toContain("it is the only copy");
});

test("an empty line and end of input leave the question open, and show how to answer it", async () => {
  for (const leave of ["answer", "end"] as const) {
    await using home = await asking();
    const at = await new Terminal(home).chat("tidy");
    (await at.question())[leave]("");
    const { status, stderr } = await at.end();
    expect(status).toBe(5);
    expect(stderr).toMatch(/gsv: answer with: gsv approve [a-z0-9]{4} {3}or: gsv deny/);
    expect((await open(home)).kind).toBe("approval");
  }
});

test("several requests of one turn are shown and asked one after the other", async () => {
  await using home = await TestKernel.boot();
  const calls = ["a", "b", "c"].map((name) => ({ name: "Delete", args: { path: `~/${name}` } }));
  home.model.will(INIT, { calls }, { text: "Tidied." });
  const at = await new Terminal(home).chat("tidy");
  const shown = () => at.typing.stderr.text.match(/path: ~\/.|\| ~\/./g) ?? [];
  for (const [index, line] of ["n", "y", "n, keep it"].entries()) {
    const { answer } = await at.question(index + 1);
    expect(shown()).toHaveLength(index + 1);
    answer(line);
  }
  expect(await at.end()).toMatchObject({ status: 0, stdout: "Tidied.\n" });
  expect((await home.outline(INIT)).slice(2, 5)).toEqual(["Delete: denied", "Delete: failed", "Delete: denied"]);
});

test("an empty line leaves all requests of a turn open and shows how to answer each", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [DELETE, { name: "Delete", args: { path: "~/c" } }] });
  const at = await new Terminal(home).chat("tidy");
  (await at.question()).answer("");
  const { status, stderr } = await at.end();
  expect(status).toBe(5);
  expect(stderr.match(/answer with: gsv approve/g)).toHaveLength(2);
});

test("input typed before the question was visible answers nothing", async () => {
  await using home = await asking({ text: "Gone." });
  const at = await new Terminal(home).chat("tidy");
  await home.until("a question is put", async () => at.asked.length === 1);
  at.asked[0]!.answer("y");
  const again = await at.question(2);
  expect((await open(home)).kind).toBe("approval");
  again.answer("perhaps");
  (await at.question(3)).answer("yes");
  expect((await at.end()).stdout).toBe("Gone.\n");
});

test("an answer from elsewhere is shown on its own row, and the line typed for it is discarded", async () => {
  await using home = await asking({ calls: [{ name: "Delete", args: { path: "~/c" } }] }, { text: "Gone." });
  const at = await new Terminal(home).chat("tidy");
  const first = await at.question();
  await home.sys.call("hil.answer", { id: (await open(home)).id, decision: "approve" });
  await home.until("the next one waits", async () => (await open(home))?.args.path === "~/c");
  await home.clock.advance(READ_MS);
  first.answer("y");
  const next = await at.question(2);
  expect((await open(home)).args.path).toBe("~/c");
  next.answer("y");
  const { stdout, stderr } = await at.end();
  expect(stdout).toBe("Gone.\n");
  expect(stderr).toMatch(/enter later: \ngsv: [a-z0-9]{4}: approved by sam\n/);
});

test("e changes the call first; always lets exactly this call run from now on", async () => {
  await using home = await asking({ calls: [DELETE] }, { calls: [DELETE] }, { text: "Gone." });
  const at = await new Terminal(home).chat("tidy");
  (await at.question()).answer("e");
  (await at.question(2)).answer("always");
  const { status, stdout } = await at.end();
  expect([status, stdout]).toEqual([0, "Gone.\n"]);
  expect(at.asked).toHaveLength(2);
  expect(JSON.stringify(await home.sys.call("proc.history", { pid: INIT }))).toContain("/home/sam/b");
});

test("a question takes its answer as text", async () => {
  await using home = await TestKernel.boot();
  home.model.will(
    INIT,
    { calls: [{ name: "Ask", args: { question: "Which one?", choices: ["old", "new"] } }] },
    { text: "Good." },
  );
  const at = await new Terminal(home).chat("which");
  const { question, answer } = await at.question();
  expect(question).toBe("gsv: your answer, or enter for later: ");
  answer("2");
  expect((await at.end()).stdout).toBe("Good.\n");
  expect(JSON.stringify(await home.sys.call("proc.history", { pid: INIT }))).toContain("new");
});

test("ctrl-c at the question ends the run", async () => {
  await using home = await asking();
  const at = await new Terminal(home).chat("tidy");
  await at.question();
  at.typing.interrupt("INT");
  const { status, stderr } = await at.end();
  expect(status).toBe(130);
  expect(stderr).toContain("enter later: \ngsv: aborting the run");
});
