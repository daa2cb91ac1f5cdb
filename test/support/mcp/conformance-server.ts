// The server that the conformance suite of the protocol asks for: tools, prompts and resources by fixed names, in place of gsv's own. All
// else is the code that serves: listener, door, endpoint.

import {
  acceptedContent,
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const NONE = z.object({});

const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: IMAGE, mimeType: "image/png" };
const said = (value: string) => ({ content: [text(value)] });
const form = (message: string, properties: object) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required: Object.keys(properties) } as never,
  });
const sampling = (prompt: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(prompt) }], maxTokens });

const NAME = { name: { type: "string" } };

export function conformanceServer(
  key: Uint8Array,
  changed: { readonly tools: () => void; readonly prompts: () => void },
): McpServer {
  const codec = createRequestStateCodec<{ readonly step: number }>({ key });
  const listChanged = true;
  const server = new McpServer(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: {
        ...{ tools: { listChanged }, prompts: { listChanged }, resources: { subscribe: true, listChanged } },
        ...{ logging: {}, completions: {} },
      },
      requestState: { verify: codec.verify },
    },
  );
  contentTools(server);
  askingTools(server);
  inputTools(server, codec);
  limitedTools(server);
  const trigger = (what: "tool" | "prompt", change: () => void) =>
    server.registerTool(`test_trigger_${what}_change`, { description: what, inputSchema: NONE }, () => {
      change();
      return said("changed");
    });
  trigger("tool", changed.tools);
  trigger("prompt", changed.prompts);
  prompts(server);
  resources(server);
  return server;
}

function contentTools(server: McpServer): void {
  const tool = (name: string, content: readonly object[]) =>
    server.registerTool(name, { description: name }, () => ({ content: content as never }));
  const resource = (uri: string, mimeType: string, value: string) => ({
    type: "resource",
    resource: { uri, mimeType, text: value },
  });
  const audio = { type: "audio", data: SOUND, mimeType: "audio/wav" };
  tool("test_simple_text", [text("This is a simple text response for testing.")]);
  tool("test_image_content", [image]);
  tool("test_audio_content", [audio]);
  tool("test_embedded_resource", [
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ]);
  const mixed = resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}');
  tool("test_multiple_content_types", [text("Multiple content types test:"), image, mixed]);
  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool(
    "test_tool_with_logging",
    { description: "Of the suite", inputSchema: NONE },
    async (_args, { mcpReq }) => {
      for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"])
        await mcpReq.log("info", line);
      return said("logged");
    },
  );
  server.registerTool(
    "test_tool_with_progress",
    { description: "Of the suite", inputSchema: NONE },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100])
        if (progressToken !== undefined)
          await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      return said(String(progressToken));
    },
  );
}

/** Requests to the client, in both protocols: as requests within the call, and as results. */
function askingTools(server: McpServer): void {
  const asking = (name: string, message: string, properties: object) =>
    server.registerTool(
      name,
      { description: "Of the suite", inputSchema: z.object({ message: z.string().optional() }) },
      (args, { mcpReq }) => {
        const view = inputResponse(mcpReq.inputResponses, "form");
        if (view.kind !== "elicit")
          return inputRequired({ inputRequests: { form: form(args.message ?? message, properties) } });
        return said(`Elicitation completed: action=${view.action}, content=${JSON.stringify(view.content ?? {})}`);
      },
    );
  asking("test_elicitation", "Who are you?", { username: { type: "string" }, email: { type: "string" } });
  asking("test_elicitation_sep1034_defaults", "Please review", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  });
  const titled = [1, 2, 3].map((at) => ({ const: `value${at}`, title: `Option ${at}` }));
  const plain = ["option1", "option2", "option3"];
  asking("test_elicitation_sep1330_enums", "Please choose", {
    untitledSingle: { type: "string", enum: plain },
    titledSingle: { type: "string", oneOf: titled },
    legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
    untitledMulti: { type: "array", items: { type: "string", enum: plain } },
    titledMulti: { type: "array", items: { anyOf: titled } },
  });
  server.registerTool(
    "test_sampling",
    { description: "Of the suite", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, { mcpReq }) => {
      const view = inputResponse(mcpReq.inputResponses, "sample");
      if (view.kind !== "sampling") return inputRequired({ inputRequests: { sample: sampling(prompt) } });
      return said(`LLM response: ${JSON.stringify(view.result.content)}`);
    },
  );
}

type Codec = ReturnType<typeof createRequestStateCodec<{ readonly step: number }>>;

function inputTools(server: McpServer, codec: Codec): void {
  const tool = (name: string, run: (context: ServerContext) => unknown) =>
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: "Of the suite", inputSchema: NONE },
      (_args, context) => run(context) as never,
    );
  const named = (context: ServerContext, key: string) => acceptedContent(context.mcpReq.inputResponses, key);
  const stepOf = ({ mcpReq }: ServerContext) => mcpReq.requestState<{ step: number }>()?.step ?? 0;
  const signed = async (requests: object, step: number) =>
    inputRequired({ inputRequests: requests as never, requestState: await codec.mint({ step }) });

  tool("elicitation", (context) => {
    const { name } = named(context, "user_name") ?? {};
    if (typeof name === "string") return said(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: form("What is your name?", NAME) } });
  });
  tool("sampling", ({ mcpReq }) => {
    const view = inputResponse(mcpReq.inputResponses, "capital_question");
    if (view.kind === "sampling") return said(JSON.stringify(view.result.content));
    return inputRequired({ inputRequests: { capital_question: sampling("What is the capital of France?") } });
  });
  tool("list_roots", ({ mcpReq }) => {
    const view = inputResponse(mcpReq.inputResponses, "client_roots");
    if (view.kind === "roots") return said(`Roots: ${view.roots.map(({ uri }) => uri).join(" ")}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  for (const name of ["request_state", "tampered_state"])
    tool(name, (context) =>
      named(context, "confirm") !== undefined && stepOf(context) === 1
        ? said("state-ok")
        : signed({ confirm: form("Please confirm", { ok: { type: "boolean" } }) }, 1),
    );
  tool("multiple_inputs", (context) =>
    stepOf(context) === 1
      ? said("all inputs came")
      : signed(
          {
            user_name: form("What is your name?", NAME),
            greeting: sampling("Generate a greeting", 50),
            client_roots: inputRequired.listRoots(),
          },
          1,
        ),
  );
  tool("multi_round", (context) => {
    const step = stepOf(context);
    if (step === 0) return signed({ step1: form("Step 1: What is your name?", NAME) }, 1);
    if (step === 1)
      return signed({ step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) }, 2);
    return said("all rounds done");
  });
  tool("capabilities", (context) => {
    const { elicitation, sampling: samples } = capabilitiesOf(context);
    return inputRequired({
      inputRequests: {
        ...(elicitation !== undefined && { name: form("What is your name?", NAME) }),
        ...(samples !== undefined && { greeting: sampling("Generate a greeting") }),
      },
    });
  });
}

/** What a client gets that did not declare enough, or asked for nothing. */
function limitedTools(server: McpServer): void {
  const sends = (name: string, inputRequests: object) =>
    server.registerTool(name, { description: name, inputSchema: NONE }, () =>
      inputRequired({ inputRequests: inputRequests as never }),
    );
  sends("test_missing_capability", { greeting: sampling("Generate a greeting") });
  sends("test_streaming_elicitation", { user_name: form("What is your name?", NAME) });
  server.registerTool(
    "test_logging_tool",
    { description: "Of the suite", inputSchema: NONE },
    async (_args, { mcpReq }) => {
      await mcpReq.log("info", "only for clients that asked");
      return said("done");
    },
  );
}

function capabilitiesOf({ mcpReq }: ServerContext): { readonly [name: string]: unknown } {
  const envelope = (mcpReq.envelope ?? {}) as { readonly [name: string]: unknown };
  return (envelope["io.modelcontextprotocol/clientCapabilities"] ?? {}) as { readonly [name: string]: unknown };
}

function prompts(server: McpServer): void {
  const user = (content: object) => ({ role: "user" as const, content: content as never });
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }));
  const arg = completable(z.string(), (value) => ["paris", "park", "party"].filter((each) => each.startsWith(value)));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Of the suite", argsSchema: z.object({ arg1: arg, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Of the suite", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user({
          type: "resource",
          resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        }),
        user(text("Please process the embedded resource above.")),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Image" }, () => ({
    messages: [user(image), user(text("Please analyze the image above."))],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks" }, ({ mcpReq }) => {
    const { context } = acceptedContent(mcpReq.inputResponses, "user_context") ?? {};
    if (typeof context === "string") return { messages: [user(text(`Context: ${context}`))] };
    const asked = form("What context should the prompt use?", { context: { type: "string" } });
    return inputRequired({ inputRequests: { user_context: asked } });
  });
}

function resources(server: McpServer): void {
  const plain = { mimeType: "text/plain", description: "Static" };
  const watched = "test://watched-resource";
  server.registerResource("static-text", "test://static-text", plain, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: IMAGE }],
  }));
  server.registerResource("watched", watched, plain, (uri) => ({ contents: [{ uri: uri.href, text: "Watched" }] }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { mimeType: "application/json" }, (uri, { id }) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }));
  for (const method of ["resources/subscribe", "resources/unsubscribe", "logging/setLevel"] as const)
    server.server.setRequestHandler(method, () => ({}));
}
