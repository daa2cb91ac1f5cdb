// Images in messages and from the tool Read: stored as media of the process, sent to its model each turn, and deleted with its history.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { MediaTaken } from "../../src/syscalls/system/storage.ts";
import { stdinOf } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { begin, finish } from "../support/shell.ts";
import { type Call, works } from "../support/worker.ts";

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(100, 7)]);

let ids = 0;
const newId = () => `0190a1b2-0000-7000-8000-${String(++ids).padStart(12, "0")}`;

async function put(home: TestKernel, bytes: Uint8Array): Promise<string> {
  const id = newId();
  const data = Buffer.from(bytes).toString("base64");
  const taken = await home.sys.call<MediaTaken>("proc.media.put", { pid: INIT, id, offset: 0, data });
  return taken.media?.id ?? "";
}

function userMessages(messages: readonly Message[]) {
  return messages.filter((message) => message.role === "user");
}

test("an image is sent to the model with its message, this turn and the next, and is in the history", async () => {
  await using home = await TestKernel.boot();
  const id = await put(home, PNG);
  await home.say("what is this", { media: [id] });
  await home.say("and now?");
  for (const { images } of home.model.requests) expect([...(images ?? [])]).toEqual([[id, PNG.toString("base64")]]);
  const path = `/var/media/1000/${INIT}/${id}.png`;
  expect(userMessages(await home.messages(INIT))).toMatchObject([
    { content: "what is this", media: [{ id, type: "image/png", bytes: PNG.byteLength, path }] },
    { content: "and now?" },
  ]);
});

test("images and long texts on stdin are attached: an image is visible, and a long text is read from its file", async () => {
  await using home = await TestKernel.boot();
  const seen = await finish(home, await begin(home, ["chat", "what is this?"], stdinOf("file", [PNG])));
  expect(seen.status).toBe(0);
  const [{ images } = { images: undefined }] = home.model.requests;
  expect([...(images?.values() ?? [])]).toEqual([PNG.toString("base64")]);

  const line = "one of very many lines\n";
  const log = line.repeat(LIMITS.messageCharsMax / line.length + 1);
  const asked = await finish(
    home,
    await begin(home, ["chat", "--new", "what failed?"], stdinOf("pipe", [log, "the last"])),
  );
  const pid = /task:\w+/.exec(asked.stderr)?.[0] ?? "";
  const [message] = userMessages(await home.messages(pid));
  const path = /^what failed\?\n\n<stdin bytes="\d+" type="text\/plain" file="(\S+)"\/>$/.exec(
    message?.content ?? "",
  )?.[1];
  expect(path).toStartWith(`/var/media/1000/${pid}/`);
  await works(home, pid, { name: "Shell", args: { command: `tail -n 1 ${path}` } });
  const result = (await home.messages(pid)).findLast(({ role }) => role === "toolResult");
  expect(result).toMatchObject({ content: { output: expect.stringContaining("the last") } });
});

test("an image survives the kernel in the queue, and is deleted with the history", async () => {
  await using home = await TestKernel.boot();
  const id = await put(home, PNG);
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  await home.send("later", { media: [id] });
  await home.restart();
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  await home.until("it was asked", () => home.model.requests.length === 1);
  expect(home.model.requests[0]?.images?.size).toBe(1);
  await home.inState(INIT, "idle");
  await home.sys.call("proc.reset", { pid: INIT });
  expect((await home.sys.call<{ media: unknown[] }>("proc.media.list", { pid: INIT })).media).toEqual([]);
});

test("a missing file is refused, other files are only named, and a deleted image is left out", async () => {
  await using home = await TestKernel.boot();
  const nobody = newId();
  expect((await home.refusal("proc.send", { message: "x", media: [nobody] })).message).toBe(
    `no such media of ${INIT}: ${nobody}`,
  );
  expect((await home.refusal("proc.send", { message: "x", media: ["../../etc"] })).code).toBe("ENOENT");
  const text = await put(home, Buffer.from("only words"));
  await home.say("see", { media: [text] });
  expect(home.model.requests[0]?.images).toBeUndefined();
  const id = await put(home, PNG);
  await home.say("and this", { media: [id] });
  await home.sys.call("proc.media.rm", { pid: INIT, id });
  await home.say("still there?");
  expect(home.model.requests.map(({ images }) => images?.size ?? 0)).toEqual([0, 1, 0]);
});

test("the tool Read shows images to the model, by their bytes, on gsv and host; people and code get no bytes", async () => {
  const directory = scratchDirectory("images");
  try {
    writeFileSync(join(directory, "shot.dat"), PNG);
    writeFileSync(join(directory, "big.png"), Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]));
    await using home = await TestKernel.boot({ cwd: directory, realTime: true });
    const { id } = await home.sys.call<{ id: string }>("workspace.attach", { what: directory, pid: INIT });
    const read = (path: string): Call => ({ name: "Read", args: { path, target: "host" } });
    await works(home, INIT, read("shot.dat"), read("big.png"));
    const [shot, big] = (await home.messages(INIT)).flatMap((message) =>
      message.role === "toolResult" ? [message.content] : [],
    );
    expect(shot?.output).toBe(`${directory}/shot.dat: image/png, 108 B`);
    expect(shot?.media).toMatchObject([{ type: "image/png", bytes: PNG.byteLength }]);
    expect(big).toMatchObject({
      outcome: "failed",
      output: expect.stringContaining("is too large: images may have 5.0 MiB"),
    });
    const [first, ...later] = home.model.requests.map(({ images }) => [...(images?.values() ?? [])]);
    expect(first).toEqual([]);
    for (const images of later) expect(images).toEqual([PNG.toString("base64")]);
    const path = `/workspaces/${id}/shot.dat`;
    await works(home, INIT, { name: "Read", args: { path } });
    expect(home.model.requests.at(-1)?.images?.size).toBe(2);
    await works(home, INIT, { name: "CodeMode", args: { code: `return await fs.read('${path}')` } });
    const last = (await home.messages(INIT)).findLast((message) => message.role === "toolResult");
    expect(JSON.stringify(last?.content)).toContain("is not text");
    expect((await home.refusal("fs.read", { path })).message).toContain("is not text");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
