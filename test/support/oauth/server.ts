// An authorization server on this computer, and an MCP server that wants its tokens. It gives out each token once, ends an account if an old refresh
// token comes twice, and can lie.

import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly headers: Headers;
}

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly scope: string;
  readonly resource: string | null;
}

interface Token {
  readonly scope: string;
  readonly resource: string | null;
}

type Fields = { [name: string]: unknown };

export class OAuthWorld implements AsyncDisposable {
  readonly seen: Seen[] = [];
  /** Changes what the servers publish. */
  patch: (metadata: Fields) => Fields = (metadata) => metadata;
  patchResource: (metadata: Fields) => Fields = (metadata) => metadata;
  /** Answers before the server does. */
  instead: (request: Seen) => Response | null | Promise<Response | null> = () => null;
  /** Changes the redirect at the end of the sign-in page. */
  redirected: (url: URL) => void = () => {};
  expiresIn: number | null = 3600;
  /** Rights of the MCP server's challenge, and of its tool. */
  wants = "read";
  toolNeeds = "read";
  rotates = true;
  devicePolls: string[] = [];
  private readonly codes = new Map<string, Grant>();
  private readonly access = new Map<string, Token>();
  private readonly refresh = new Map<string, Token>();
  private readonly spent = new Set<string>();
  private count = 0;
  private readonly auth = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.authorize(request) });
  private readonly service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.serve(request) });
  private readonly mcp = createMcpHandler(() => {
    const server = new McpServer({ name: "notes", version: "1" });
    server.registerTool("read", { description: "Read a note" }, async () => ({
      content: [{ type: "text", text: "a note" }],
    }));
    return server;
  });

  get issuer(): string {
    return `http://127.0.0.1:${this.auth.port}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.service.port}/mcp`;
  }

  get live(): number {
    return this.access.size;
  }

  paths(path: string): Seen[] {
    return this.seen.filter((each) => each.path === path);
  }

  /** The access tokens end here, but may be renewed. */
  endAccess(): void {
    this.access.clear();
  }

  endAll(): void {
    this.access.clear();
    this.refresh.clear();
  }

  /** What a browser does with a sign-in page: returns where it is sent in the end. */
  readonly browse = async (url: string): Promise<string> => {
    const response = await fetch(url, { redirect: "manual" });
    return response.headers.get("location") ?? "";
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.auth.stop(true), this.service.stop(true)]);
  }

  private async note(request: Request): Promise<Seen> {
    const { pathname: path, searchParams: query } = new URL(request.url);
    const isForm = (request.headers.get("content-type") ?? "").includes("urlencoded");
    const form = new URLSearchParams(isForm ? await request.clone().text() : "");
    const seen = { method: request.method, path, query, form, headers: request.headers };
    this.seen.push(seen);
    return seen;
  }

  private async authorize(request: Request): Promise<Response> {
    const seen = await this.note(request);
    const other = await this.instead(seen);
    if (other !== null) return other;
    if (seen.path === "/.well-known/oauth-authorization-server") return Response.json(this.patch(this.metadata()));
    if (seen.path === "/register") return await registered(request);
    if (seen.path === "/authorize") return this.signIn(seen);
    if (seen.path === "/device") return this.device();
    if (seen.path === "/token") return this.token(seen.form);
    if (seen.path !== "/revoke") return new Response("no", { status: 404 });
    this.access.delete(seen.form.get("token") ?? "");
    this.refresh.delete(seen.form.get("token") ?? "");
    return new Response("");
  }

  private metadata(): Fields {
    const at = (path: string) => `${this.issuer}${path}`;
    return {
      ...{ issuer: this.issuer, authorization_endpoint: at("/authorize"), token_endpoint: at("/token") },
      ...{ registration_endpoint: at("/register"), revocation_endpoint: at("/revoke") },
      ...{ device_authorization_endpoint: at("/device"), response_types_supported: ["code"] },
      ...{ code_challenge_methods_supported: ["S256"], token_endpoint_auth_methods_supported: ["none"] },
      ...{ authorization_response_iss_parameter_supported: true },
    };
  }

  private signIn({ query }: Seen): Response {
    const code = `code-${++this.count}`;
    this.codes.set(code, {
      ...{ challenge: query.get("code_challenge") ?? "", redirectUri: query.get("redirect_uri") ?? "" },
      ...{ scope: query.get("scope") ?? "", resource: query.get("resource") },
    });
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    back.searchParams.set("iss", this.issuer);
    this.redirected(back);
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  private device(): Response {
    const uri = `${this.issuer}/enter`;
    return Response.json({ device_code: "device-canary", user_code: "WDJB-MJHT", verification_uri: uri, interval: 1 });
  }

  private token(form: URLSearchParams): Response {
    const type = form.get("grant_type");
    if (type === "refresh_token") return this.renewed(form.get("refresh_token") ?? "");
    if (type?.endsWith("device_code")) {
      const error = this.devicePolls.shift();
      return error === undefined ? this.given({ scope: "read", resource: form.get("resource") }) : refused(error);
    }
    const code = form.get("code") ?? "";
    const grant = this.codes.get(code);
    this.codes.delete(code);
    const hash = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    const fits = grant?.challenge === hash && grant.redirectUri === form.get("redirect_uri");
    return fits && grant.resource === form.get("resource") ? this.given(grant) : refused("invalid_grant");
  }

  private renewed(token: string): Response {
    if (this.spent.has(token)) this.endAll();
    const known = this.refresh.get(token);
    if (known === undefined) return refused("invalid_grant");
    if (this.rotates) {
      this.refresh.delete(token);
      this.spent.add(token);
    }
    return this.given(known);
  }

  private given({ scope, resource }: Token): Response {
    const number = ++this.count;
    const [access, refresh] = [`access-canary-${number}`, `refresh-canary-${number}`];
    this.access.set(access, { scope, resource });
    this.refresh.set(refresh, { scope, resource });
    return Response.json({
      ...{ access_token: access, token_type: "Bearer", refresh_token: refresh, scope },
      ...(this.expiresIn !== null && { expires_in: this.expiresIn }),
    });
  }

  private async serve(request: Request): Promise<Response> {
    const seen = await this.note(request);
    const other = await this.instead(seen);
    if (other !== null) return other;
    if (seen.path === "/.well-known/oauth-protected-resource/mcp")
      return Response.json(this.patchResource({ resource: this.url, authorization_servers: [this.issuer] }));
    if (seen.path !== "/mcp") return new Response("no", { status: 404 });
    const token = this.access.get((seen.headers.get("authorization") ?? "").replace("Bearer ", ""));
    if (token?.resource !== this.url) return this.challenge(401, `scope="${this.wants}"`);
    const isCall = (await request.clone().text()).includes('"tools/call"');
    if (isCall && !token.scope.split(" ").includes(this.toolNeeds))
      return this.challenge(403, `error="insufficient_scope", scope="${this.toolNeeds}"`);
    return await this.mcp.fetch(request);
  }

  private challenge(status: number, more: string): Response {
    const document = `http://127.0.0.1:${this.service.port}/.well-known/oauth-protected-resource/mcp`;
    const header = `Bearer resource_metadata="${document}", ${more}`;
    return new Response("no", { status, headers: { "www-authenticate": header } });
  }
}

async function registered(request: Request): Promise<Response> {
  const asked = (await request.json()) as Fields;
  return Response.json({ ...asked, client_id: `client-${crypto.randomUUID()}` }, { status: 201 });
}

function refused(error: string): Response {
  return Response.json({ error, error_description: "canary-description" }, { status: 400 });
}
