// Bytes, links and structured output in the results of MCP tools, and the prompts of servers.

import { expect, test } from "bun:test";
import { z } from "zod";
import { TestKernel } from "../../support/kernel.ts";
import { typed } from "../../support/kernel-io.ts";
import { servedMcp } from "../../support/mcp/served.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const camera = servedMcp((server) => {
  server.registerTool("shoot", { description: "Take a picture" }, async () => ({
    content: [
      { type: "text", text: "done" },
      { type: "image", data: PNG, mimeType: "image/png" },
      { type: "audio", data: "", mimeType: "audio/wav" },
      { type: "resource_link", uri: "camera://roll/1.png", name: "1.png" },
      { type: "resource_link", uri: "file:///etc/shadow", name: "shadow" },
    ],
  }));
  server.registerPrompt(
    "describe",
    { description: "Describe a picture", argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Describe ${name}.` } }] }),
  );
});

async function withCamera() {
  const home = await TestKernel.boot();
  await home.sys.call("sys.mcp.add", { name: "camera", url: camera.url });
  await home.sys.call("sys.mcp.allow", { name: "camera", tool: "shoot" });
  return home;
}

test("a picture becomes media of the process, links become paths, and nothing reads them by itself", async () => {
  await using home = await withCamera();
  const pid = await home.task();
  home.model.will(pid, { calls: [{ name: "mcp__camera__shoot", args: {} }] });
  await home.ended((await home.send("go", { pid })).runId);
  const [result] = (await home.messages(pid)).flatMap((each) => (each.role === "toolResult" ? [each.content] : []));
  const [stored, ...others] = result?.media ?? [];
  expect(others).toEqual([]);
  expect(stored).toMatchObject({ type: "image/png", bytes: Buffer.from(PNG, "base64").length });
  expect(result?.output).toContain(`[stored: ${stored?.path}, image/png, ${stored?.bytes} bytes]`);
  expect(result?.output).toContain("[not stored: the file is empty]");
  expect(result?.output).toContain("[file: /mnt/mcp/camera/camera/roll/1.png]");
  expect(result?.output).toContain("[file: /mnt/mcp/camera/file/etc/shadow]");
  expect(result?.output).not.toContain(PNG);
  const { media } = await home.sys.call<{ media: { path: string }[] }>("proc.media.list", { pid });
  expect(media.map(({ path }) => path)).toEqual([stored!.path]);
});

test("a code block gets the path of a picture in place of its bytes", async () => {
  await using home = await withCamera();
  const pid = await home.task();
  home.model.will(pid, { calls: [{ name: "CodeMode", args: { code: "return await camera.shoot();" } }] });
  await home.ended((await home.send("go", { pid })).runId);
  const [text] = (await home.messages(pid)).flatMap((each) =>
    each.role === "toolResult" ? [each.content.output] : [],
  );
  expect(text).toMatch(/\[stored: \/var\/media\/1000\/task:\w+\/[\w-]+\.png, image\/png/);
  expect(text).not.toContain(PNG);
});

test("a prompt is printed with its arguments, or sent to a process as a message", async () => {
  await using home = await withCamera();
  expect(await typed(home.sys, "mcp", "prompt", "camera", "describe", "name=1.png")).toEqual([
    0,
    "Describe 1.png.\n",
    "",
  ]);
  const pid = await home.task();
  const [status] = await typed(home.sys, "mcp", "prompt", "camera", "describe", "name=2.png", "--pid", pid);
  expect(status).toBe(0);
  expect((await home.messages(pid)).map(({ content }) => content)).toContain("Describe 2.png.");
  const [failed, , error] = await typed(home.sys, "mcp", "prompt", "camera", "none");
  expect([failed, error]).toEqual([1, expect.stringContaining("the server did not give the prompt none")]);
});
