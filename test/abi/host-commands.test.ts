// The part of a message that shows the model commands of the person, and its removal where people read the message.

import { expect, test } from "bun:test";
import { withHostCommands, withoutHostCommands } from "../../src/abi/process/host-commands.ts";

test("a message contains the command, its output and a status other than zero", () => {
  const message = withHostCommands("fix it", [
    { line: "git status", status: 0, output: "clean\n" },
    { line: "npm test", status: 1, output: "add is wrong\n" },
  ]);
  expect(message).toBe(
    "fix it\n\nCommands I ran on this computer since my last message:\n\n" +
      "```console\n$ git status\nclean\n$ npm test\nadd is wrong\n[exit status 1]\n```",
  );
  expect(withoutHostCommands(message)).toBe("fix it");
});

test("the end of long output is kept, and a fence in it does not end the block", () => {
  const output = `${"x".repeat(5000)}\n\`\`\`\nend`;
  const message = withHostCommands("look", [{ line: "cat a.md", status: 0, output }]);
  expect(message).toContain("[2008 characters left out]");
  expect(message).toEndWith("end\n````");
  expect(withoutHostCommands(message)).toBe("look");
});

test("a message without commands is unchanged", () => {
  expect(withHostCommands("hello", [])).toBe("hello");
  expect(withoutHostCommands("hello\n\n```console\n$ ls\n```")).toBe("hello\n\n```console\n$ ls\n```");
});
