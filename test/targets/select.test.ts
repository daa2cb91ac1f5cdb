// `select` in gsv's shell: the menu and prompt on stderr, answers from stdin, as bash does.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());
beforeEach(() => scripts.reset());
const run = (script: string, stdin = "") => scripts.run(script, { stdin: Buffer.from(stdin), args: ["p", "q"] });

test("it asks until stdin ends, and shows the menu again after an empty line", async () => {
  const menu = "1) aa\n2) bb\n3) c c\n";
  const script = `select x in aa bb "c c"; do echo "<$x> <$REPLY>"; done; echo $?`;
  expect(await run(script, "1\n\n9\nx\n3\n")).toEqual({
    exit: 0,
    stdout: "<aa> <1>\n<> <9>\n<> <x>\n<c c> <3>\n\n1\n",
    stderr: `${menu}#? #? ${menu}#? #? #? #? `,
  });
});

test("break, continue and return leave it as any loop; PS3 is the prompt; without a list it shows the arguments", async () => {
  const script = `PS3='which? '
    f() { select x in a; do return 3; done; }; f; echo $?
    if true; then select y; do case $y in q) break ;; esac; continue; done; fi; echo "$y $?"`;
  const { stdout, stderr } = await run(script, "1\n1\n2\n");
  expect(stdout).toBe("3\nq 0\n");
  expect(stderr).toBe("1) a\nwhich? 1) p\n2) q\nwhich? which? ");
  expect(await run("select x in; do echo never; done; echo $?")).toMatchObject({ stdout: "0\n", stderr: "" });
});

test("a long menu is in columns; a function keeps its text; the word stays a word elsewhere", async () => {
  const { stderr } = await run("select x in {1..30}; do break; done", "1\n");
  expect(stderr.split("\n")[1]).toBe("2) 2\t 5) 5\t 8) 8\t11) 11\t14) 14\t17) 17\t20) 20\t23) 23\t26) 26\t29) 29");
  const { stdout } = await run("f() { select x in a; do :; done; }; declare -f f; echo 'select x in a;' select");
  expect(stdout).toContain("select x in a; do");
  expect(stdout).toEndWith("select x in a; select\n");
});

test("a negated class within a pattern matches no member of it", async () => {
  const script = "for x in 12 1a ''; do case $x in '' | *[!0-9]*) echo no ;; *) echo number ;; esac; done";
  expect((await run(script)).stdout).toBe("number\nno\nno\n");
  expect((await run("[[ 12 == *[!0-9]* ]] || echo number")).stdout).toBe("number\n");
});
