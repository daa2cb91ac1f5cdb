// What gsv's MCP server may do: the capabilities of its token, checked by the kernel, for its own account only. And its resources.

import { expect, test } from "bun:test";
import { TestKernel } from "../../support/kernel.ts";
import { connected, ERAS } from "../../support/mcp/gsv-client.ts";
import { addHuman } from "../../support/people.ts";

test("--allow decides which tools are offered, and a tool that is not offered cannot be called", async () => {
  await using home = await TestKernel.boot();
  const names = async (allow: readonly string[]) => {
    await using it = await connected(home, { allow });
    return (await it.client.listTools()).tools.map(({ name }) => name);
  };
  expect(await names(["proc.list", "proc.get", "proc.history"])).toEqual(["list_processes", "read_history"]);
  expect(await names(["fs.*"])).toEqual(["read_file", "list_files", "search_files", "write_file"]);
  expect(await names(["fs.read", "hil.list"])).toEqual(["list_approvals", "read_file"]);
  await using it = await connected(home, { allow: ["fs.read"] });
  const call = it.client.callTool({ name: "write_file", arguments: { path: "~/x", content: "x" } });
  expect(await call.catch((error: Error) => error.message)).toContain("unknown tool: write_file");
  expect((await it.client.listResources()).resources).toEqual([]);
});

test("the kernel refuses what the token does not allow, also if the server would offer it", async () => {
  await using home = await TestKernel.boot();
  const account = { uid: 1000, capabilities: ["*"] };
  await using it = await connected(home, { allow: ["fs.read"], ports: { account } });
  const pid = await home.task();
  expect(await it.call("write_file", { path: "~/x", content: "x" })).toBe(
    "error: sam may not call fs.write (needs fs.write)",
  );
  for (const [name, args] of [
    ["read_history", { pid }],
    ["spawn_process", { label: "x" }],
    ["list_approvals", {}],
    ["send_message", { message: "x" }],
  ] as const)
    expect(await it.call(name, args)).toStartWith("error: sam may not call ");
});

test("processes, messages and files of other accounts look absent", async () => {
  await using home = await TestKernel.boot();
  const bob = await addHuman(home, "bob");
  const { pid } = await bob.sys.call<{ pid: string }>("proc.spawn", { label: "private words" });
  await bob.sys.call("fs.write", { path: "/tmp/bobs", content: "private words" });
  await using it = await connected(home);
  const uri = `gsv://proc/${pid}/messages`;
  const said = [
    await it.call("list_processes"),
    await it.call("read_history", { pid }),
    await it.call("wait", { pid }),
    await it.call("read_file", { path: "/tmp/bobs" }),
    JSON.stringify(await it.client.listResources()),
    await it.client.readResource({ uri }).then(JSON.stringify, (error: Error) => error.message),
  ].join("\n");
  expect(said).not.toContain("private words");
  expect(said.match(/no such process/g)?.length).toBe(2);
});

test("no result has a secret: neither tokens nor stored keys", async () => {
  await using home = await TestKernel.boot();
  const { token } = await home.sys.call<{ token: string }>("sys.token.create", {});
  await home.sys.call("config.set", { key: "apiKeys.anthropic", value: "sk-ant-canary-77aa" });
  await using it = await connected(home);
  const said = [
    await it.call("list_files", { path: "/sys/config" }),
    await it.call("read_file", { path: "/sys/config/apiKeys/anthropic" }),
    await it.call("search_files", { query: "canary", path: "/" }),
    await it.call("read_file", { path: "/etc/shadow" }),
    await it.call("list_processes", { pid: "init:1000" }),
  ].join("\n");
  expect([said.includes("canary-77aa"), said.includes(token.slice(9))]).toEqual([false, false]);
});

test.each(ERAS)(
  "%s: messages of processes are resources, and a subscriber hears of their changes only",
  async (era) => {
    await using home = await TestKernel.boot();
    const [pid, other] = [await home.task({ label: "notes" }), await home.task()];
    await using it = await connected(home, { era });
    const uri = `gsv://proc/${pid}/messages`;
    const { resources } = await it.client.listResources();
    expect(resources).toContainEqual(
      expect.objectContaining({ uri, name: pid, title: "notes", mimeType: "text/plain" }),
    );
    const heard: string[] = [];
    it.client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    if (era === "2025-11-25") await it.client.subscribeResource({ uri });
    else await it.client.listen({ resourceSubscriptions: [uri] });
    home.model.will(pid, { text: "first" });
    await home.say("x", { pid: other });
    await home.say("hello", { pid });
    await home.clock.advance(100);
    await home.until("the change is heard", () => heard.length > 0);
    expect([...new Set(heard)]).toEqual([uri]);
    const { contents } = await it.client.readResource({ uri });
    expect(contents).toEqual([expect.objectContaining({ uri, text: expect.stringContaining("assistant: first") })]);
    const absent = it.client.readResource({ uri: "gsv://proc/task:zzzzzz/messages" });
    expect(await absent.catch((error: { code?: number }) => error.code)).toBe(-32602);
  },
);
