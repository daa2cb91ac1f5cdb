// The SDKs of model providers have a class for every endpoint. gsv posts to one endpoint with the client itself, so the other classes become
// empty: the client creates them, and nothing calls them. Saves 2.3 MB of the binary.

export const leanSdks: Bun.BunPlugin = {
  name: "lean-sdks",
  setup(builder) {
    const names = new Bun.Transpiler({ loader: "js" });
    builder.onLoad({ filter: /[\\/](?:openai|@anthropic-ai[\\/]sdk)[\\/]resources[\\/].*\.mjs$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const passedOn = text.match(/^export \* from .*;$/gm) ?? [];
      const classes = names.scan(text).exports.map((name) => `export class ${name} {}`);
      return { contents: [...passedOn, ...classes].join("\n"), loader: "js" };
    });
  },
};

/** Of the SDK for MCP: its validator of JSON Schema, half a megabyte of source. gsv passes results on as they are. */
export const leanMcp: Bun.BunPlugin = {
  name: "lean-mcp",
  setup(builder) {
    builder.onLoad(
      { filter: /[\\/]@modelcontextprotocol[\\/](?:client|server)[\\/].*[\\/]ajvProvider-.*\.mjs$/ },
      () => ({
        contents: "class None {} export { None as n, None as r, None as t };",
        loader: "js",
      }),
    );
  },
};
