// `gsv man -k` in a binary: what is searched is made when the binary is built, out of the same sources, and held as text.

export const readyIndex: Bun.BunPlugin = {
  name: "ready-index",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]commands[\\/]man-index\.ts$/ }, async () => {
      // Not every program that is built searches the manual.
      const [{ manualIndex }, { MANUAL }] = await Promise.all([
        import("../../commands/man-index.ts"),
        import("../prompts/manual.ts"),
      ]);
      const text = JSON.stringify(await manualIndex(async () => MANUAL));
      return { contents: `export const manualIndex = async () => JSON.parse(${JSON.stringify(text)});`, loader: "js" };
    });
  },
};
