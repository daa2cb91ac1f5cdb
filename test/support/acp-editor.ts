// An editor for tests of gsv as its agent: each frame is checked against the protocol's schema, and the kernel is a real one.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "@modelcontextprotocol/client/validators/ajv";
import { AcpAgent } from "../../commands/links/acp/agent.ts";
import type { Json } from "../../commands/links/acp/rpc.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { TestKernel } from "./kernel.ts";
import { scratchDirectory } from "./scratch.ts";

const SCHEMA = JSON.parse(
  readFileSync(join(import.meta.dir, "../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json"), "utf8"),
) as { $defs: { [name: string]: { "x-method"?: string; "x-side"?: string } } };
const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
ajv.addSchema(SCHEMA, "acp");

function mustFit(name: string, value: unknown): void {
  const fits = ajv.getSchema(`acp#/$defs/${name}`);
  if (fits === undefined) throw new Error(`the schema has no ${name}`);
  if (!fits(value)) throw new Error(`${name}: ${JSON.stringify(fits.errors)} in ${JSON.stringify(value)}`);
}

function uploading(sys: Sys) {
  return async (pid: string, bytes: Uint8Array) => {
    const data = Buffer.from(bytes).toString("base64");
    return (await sys.call<{ media: { id: string; path: string } }>("proc.media.put", { pid, data })).media;
  };
}

const ANSWERS: { readonly [method: string]: string } = {
  initialize: "InitializeResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/list": "ListSessionsResponse",
  "session/prompt": "PromptResponse",
  "session/set_mode": "SetSessionModeResponse",
  "session/set_config_option": "SetSessionConfigOptionResponse",
  "session/close": "CloseSessionResponse",
  "session/delete": "DeleteSessionResponse",
};

/** An editor: sends requests, keeps updates, and answers requests for permission as told. */
export class Editor implements AsyncDisposable {
  readonly updates: Json[] = [];
  readonly requests: Json[] = [];
  readonly notes: string[] = [];
  /** Requests that gsv does not want answered any more. */
  readonly withdrawn: unknown[] = [];
  chooses: (request: Json) => Json | null = () => ({ outcome: { outcome: "selected", optionId: "approve" } });
  /** Names of signals that do not arrive. */
  misses: readonly string[] = [];
  private tell: (signal: Signal) => void = () => {};
  private readonly agent: AcpAgent;
  private readonly waiting = new Map<number, (message: Json) => void>();
  private nextId = 100;

  private constructor(
    readonly home: TestKernel,
    readonly as?: string,
    private readonly ownsHome = true,
  ) {
    const sys: Sys = {
      call: (name, args, options) => home.sys.call(name, args, options),
      on: (filter, tell) => {
        this.tell = tell;
        return home.sys.on(filter, (signal) => void (this.misses.includes(signal.name) || tell(signal)));
      },
      close: () => home.sys.close(),
    };
    this.agent = new AcpAgent({
      ...{ sys, clock: home.clock, note: (text) => this.notes.push(text), upload: uploading(sys) },
      ...(as !== undefined && { as }),
      print: (message) => this.hear(JSON.parse(JSON.stringify(message)) as Json),
    });
  }

  static async open({ as }: { readonly as?: string } = {}): Promise<Editor> {
    return new Editor(await TestKernel.boot(), as);
  }

  async request(method: string, params: Json): Promise<Json> {
    const id = this.nextId++;
    const { promise, resolve } = Promise.withResolvers<Json>();
    this.waiting.set(id, resolve);
    this.line({ jsonrpc: "2.0", id, method, params });
    const answer = await promise;
    if (answer.error === undefined) mustFit(ANSWERS[method]!, answer.result);
    return answer;
  }

  async result(method: string, params: Json): Promise<Json> {
    const { result, error } = await this.request(method, params);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result as Json;
  }

  async session(cwd = scratchDirectory("editor")): Promise<{ readonly sessionId: string; readonly cwd: string }> {
    return { sessionId: (await this.opened(cwd)).sessionId, cwd };
  }

  async opened(cwd = scratchDirectory("editor")): Promise<Json & { readonly sessionId: string }> {
    return (await this.result("session/new", { cwd, mcpServers: [] })) as Json & { sessionId: string };
  }

  /** Another window on the same home: it closes before the home. */
  window(): Editor {
    return new Editor(this.home, undefined, false);
  }

  /** The newest request is not wanted any more. */
  takeBack(): void {
    this.line({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: this.nextId - 1 } });
  }

  prompt(sessionId: string, text: string): Promise<Json> {
    return this.result("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  line(message: Json | string): void {
    this.agent.take(typeof message === "string" ? message : JSON.stringify(message));
  }

  resync(pid: string): void {
    this.tell({ name: "resync", pid, uid: 1000, parent: null, at: 0, afterSeq: 0 });
  }

  texts(kind = "agent_message_chunk"): string {
    const chunks = this.updates.filter(({ sessionUpdate }) => sessionUpdate === kind);
    return chunks.map(({ content }) => (content as Json).text).join("");
  }

  private hear(message: Json): void {
    const { id, method, params } = message;
    if (method === "session/update") {
      mustFit("SessionNotification", params);
      this.updates.push((params as Json).update as Json);
    } else if (method === "session/request_permission") {
      mustFit("RequestPermissionRequest", params);
      this.requests.push(params as Json);
      const result = this.chooses(params as Json);
      if (result !== null) this.line({ jsonrpc: "2.0", id, result });
    } else if (method === "$/cancel_request") {
      mustFit("CancelRequestNotification", params);
      this.withdrawn.push((params as Json).requestId);
    } else this.waiting.get(Number(id))?.(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.close();
    if (this.ownsHome) await this.home[Symbol.asyncDispose]();
  }
}
