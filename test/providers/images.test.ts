// Images reach models with vision, in the form of each server; other models get a note that there is one.

import { expect, test } from "bun:test";
import type { ModelRequest } from "../../src/abi/stream.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { accessOf } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";
import { eventsOf, requestOf } from "./requests.ts";

const SHOT = { id: "1", type: "image/png", bytes: 2048, path: "/var/media/1000/init:1000/1.png" };
const GONE = { id: "2", type: "image/png", bytes: 10, path: "/var/media/1000/init:1000/2.png" };

function request(model: string): ModelRequest {
  const asked = requestOf([{ user: "what is this" }], model);
  const [message] = asked.messages;
  if (message?.role !== "user") throw new Error("no message");
  return { ...asked, messages: [{ ...message, media: [SHOT, GONE] }], images: new Map([["1", "aW1hZ2U="]]) };
}

async function body(wire: string, model: string, sees: boolean): Promise<string> {
  const { type, body: bodyOf, provider } = WIRES[wire]!;
  using server = new WireServer(() => ({ type, body: bodyOf({ text: ["fine"] }) }));
  const served = new Map([[model, { id: model, windowTokens: null, sees }]]);
  await eventsOf(provider(accessOf(server.url, { served })), request(model));
  return server.requests.at(-1)?.body ?? "";
}

const SHOWN: { readonly [wire: string]: readonly [model: string, form: string] } = {
  anthropic: [
    "claude-sonnet-4-5",
    '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aW1hZ2U="}}',
  ],
  "openai chat completions": ["gpt-4o", '{"type":"image_url","image_url":{"url":"data:image/png;base64,aW1hZ2U="}}'],
  "openai responses": ["gpt-5.4", '{"type":"input_image","image_url":"data:image/png;base64,aW1hZ2U="}'],
  ollama: ["llava", '"images":["aW1hZ2U="]'],
};

for (const [wire, [model, form]] of Object.entries(SHOWN)) {
  test(`${wire}: an image is sent, and a lost one is named`, async () => {
    const sent = await body(wire, model, true);
    expect(sent).toContain(form);
    expect(sent).toContain(`[attached: ${SHOT.path}, image/png, 2.0 KiB]`);
    expect(sent).toContain(`[attached: ${GONE.path}, image/png, 10 B; you cannot see it]`);
  });

  test(`${wire}: a model without vision gets the image's name and no image`, async () => {
    const sent = await body(wire, model, false);
    expect(sent).not.toContain("aW1hZ2U=");
    expect(sent).toContain(`[attached: ${SHOT.path}, image/png, 2.0 KiB; you cannot see it]`);
  });
}
