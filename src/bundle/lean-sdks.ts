// The SDKs of model providers bring a class for every page of their interfaces, and with each its helpers. gsv posts to one page by the
// client itself, so these become empty classes of the same names: the client makes them and nobody calls them.

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
