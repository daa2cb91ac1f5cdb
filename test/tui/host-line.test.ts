// A line for this computer, typed at the prompt: its program has the terminal, and the next message tells the model about it.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { withHome } from "../support/home.ts";

const ASKS = '#!/bin/sh\nprintf "name? "; read -r name; [ -t 0 ] && echo "hello $name"; exit 3\n';
const ASKS_AGAIN = `#!/bin/bash
trap 'printf "again? "' CONT; printf "name? "; until read -r name; do :; done; echo "hello $name"
`;

test("a program on the PATH gets the terminal, ctrl-c ends it alone, and the agent gets its output", () =>
  withHome(async (home) => {
    const bin = home.beside("bin");
    mkdirSync(bin);
    for (const [name, text] of [
      ["greet", ASKS],
      ["waits", "#!/bin/sh\necho waiting; exec sleep 60\n"],
    ] as const) {
      writeFileSync(`${bin}/${name}`, text);
      chmodSync(`${bin}/${name}`, 0o755);
    }
    const script = await home.file("script.jsonl", [{ text: "You said: {{last}}", repeat: 9 }]);
    await using session = home.terminal({ GSV_MODEL: `script:${script}`, PATH: `${bin}:/usr/bin:/bin` });
    await session.until(/^~ {2}init:1000/m);
    session.type("greet");
    await session.until(/^! greet$/m);
    session.type("\r");
    await session.until(/name\?$/m);
    session.type("Ann\r");
    await session.until(/^hello Ann$/m);
    await session.until(/^›$/m);
    session.type("waits\r");
    await session.until(/^waiting$/m);
    session.type("\x03");
    await session.until((text) => text.lastIndexOf("›") > text.lastIndexOf("waiting"));
    session.type("what was that?\r");
    await session.until(/\[exit status 3\]/);
    const all = session.everything().map((line) => line.trim());
    const told = all.slice(all.indexOf("$ greet"));
    expect(told.slice(0, 8)).toEqual([
      ...["$ greet", "name? Ann", "hello Ann", "[exit status 3]"],
      ...["$ waits", "waiting", "^C", "[exit status 130]"],
    ]);
    expect(all).toContain("› what was that?");
  }));

test("shift-tab turns the verdict of a line, and esc gives the line back", () =>
  withHome(async (home) => {
    const script = await home.file("script.jsonl", [{ text: "Fine.", delayMs: 30_000, repeat: 9 }]);
    await using session = home.terminal({ GSV_MODEL: `script:${script}` });
    await session.until(/^~ {2}init:1000/m);
    session.type("tell me a story");
    await session.until(/^› tell me a story$/m);
    session.type("\x1b[Z");
    await session.until(/^\$ tell me a story$/m);
    session.type("\x1b[Z");
    await session.until(/^! tell me a story$/m);
    session.type("\x1b[Z");
    await session.until(/^› tell me a story$/m);
    session.type("\x1b[Z\r");
    await session.until(/tell: command not found/);
    await session.until(/^›$/m);
    session.type("\x1b");
    await session.until(/^› tell me a story$/m);
    session.type("\x15what now?\r");
    await session.until((text) => text.split("what now?").length > 1 && /^›$/m.test(text));
    session.type("\x1b");
    await session.until(/^› what now\?\n*$/m);
  }));

test("ctrl-z stops a program, jobs lists it, fg gives it the terminal back, and leaving warns once", () =>
  withHome(async (home) => {
    const bin = home.beside("bin");
    mkdirSync(bin);
    writeFileSync(`${bin}/greet`, ASKS_AGAIN);
    chmodSync(`${bin}/greet`, 0o755);
    const script = await home.file("script.jsonl", [{ text: "Fine.", repeat: 9 }]);
    await using session = home.terminal({ GSV_MODEL: `script:${script}`, PATH: `${bin}:/usr/bin:/bin` });
    const isReady = async (above: string) => await session.until(new RegExp(`${above}\\n\\n~ {2}init:1000.*\\n›$`));
    await session.until(/^~ {2}init:1000/m);
    session.type("greet; true\r");
    await session.until(/name\?$/m);
    session.type("\x1a");
    await isReady("\\[1\\] stopped {2}greet; true {3}fg to go on");
    session.type("greet\r");
    await session.until(/^name\?$/m);
    session.type("\x1a");
    await isReady("\\[2\\] stopped {2}greet {3}fg to go on");
    session.type("jobs\r");
    await isReady("\\[1\\]- stopped {2}! greet; true\n\\[2\\]\\+ stopped {2}! greet");
    session.type("fg\r");
    await session.until(/^\$ fg\n\n! greet\n+again\?$/m);
    session.type("\x1a");
    await isReady("\\[2\\] stopped {2}greet {3}fg to go on");
    session.type("kill %2\r");
    await isReady("\\[2\\] ended {2}greet");
    session.type("fg %1\r");
    await session.until(/^\$ fg %1\n\n! greet; true\n+again\?$/m);
    session.type("Ann\r");
    await isReady("hello Ann");
    session.type("greet\r");
    await session.until(/^name\?$/m);
    session.type("\x1a");
    await isReady("\\[1\\] stopped {2}greet {3}fg to go on");
    session.type("\x04");
    await isReady("Stopped: greet\\. fg to go on, or leave again to end it\\.");
    session.type("\x04");
    expect(await session.exited()).toBe(0);
  }));
