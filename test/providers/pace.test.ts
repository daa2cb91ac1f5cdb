// How an answer is read: at once when it begins, a few times a second when it takes long, and on this computer only when the reader asks.

import { expect, test } from "bun:test";
import type { Socket } from "bun";
import { fetchLocal } from "../../src/providers/loopback.ts";
import { openAiProvider } from "../../src/providers/openai/openai.ts";
import { FakeClock } from "../support/clock.ts";
import { accessOf, data } from "../support/wire-format.ts";
import { requestOf } from "./requests.ts";

const piece = (content: string) => data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

/** A server whose answer grows on command: what is added lies in the reader's socket at once. */
function growing() {
  const begun = Promise.withResolvers<Socket<undefined>>();
  const server = Bun.listen<undefined>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n");
        socket.flush();
        begun.resolve(socket);
      },
    },
  });
  const add = async (text: string) => {
    const socket = await begun.promise;
    socket.write(piece(text));
    socket.flush();
  };
  return { url: `http://127.0.0.1:${server.port}`, add, [Symbol.dispose]: () => server.stop(true) };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("an answer that takes long is read at intervals, and its tokens come together", async () => {
  using server = growing();
  const clock = new FakeClock();
  const abort = new AbortController();
  const provider = openAiProvider({ name: "openai", clock, access: accessOf(server.url, { style: "chat" }) });
  const events = provider.stream(requestOf([{ user: "hello" }], "m"), abort.signal)[Symbol.asyncIterator]();
  const after = async (...words: readonly string[]) => {
    const next = events.next();
    for (const word of words) await server.add(word);
    return await next;
  };
  for (const word of ["one ", "two "]) expect((await after(word)).value).toEqual({ type: "text", text: word });

  await clock.advance(1000);
  expect((await after("three ")).value).toEqual({ type: "text", text: "three " });
  const resting = after("four ", "five ", "six ");
  expect(await Promise.race([resting, turns(50).then(() => "rests")])).toBe("rests");
  await clock.advance(50);
  expect((await resting).value).toEqual({ type: "text", text: "four five six " });
  abort.abort();
});

test.each([
  "https://127.0.0.1/v1",
  "http://example.com/v1",
  "http://127.0.0.2.example.com/v1",
  "http://127.0.0.1:1/v1",
])("%s is not a model server that listens on this computer: it is fetched as usual", async (url) => {
  const asked: string[] = [];
  const response = await fetchLocal(url, { method: "POST", body: "{}" }, async (to) => {
    asked.push(String(to));
    return new Response("usual");
  });
  expect([await response.text(), asked]).toEqual(["usual", [url]]);
});

test("bytes that nobody reads stay with the server", async () => {
  let sent = 0;
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      const body = new ReadableStream({
        pull(controller) {
          sent += 1;
          controller.enqueue(new Uint8Array(2 ** 20));
          if (sent === 100) controller.close();
        },
      });
      return new Response(body);
    },
  });
  const response = await fetchLocal(server.url, {}, fetch);
  await turns(500);
  expect(sent).toBeLessThan(50);
  expect((await response.bytes()).length).toBe(100 * 2 ** 20);
});
