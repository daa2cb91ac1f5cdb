// The layout engine of the terminal holds its WebAssembly module as text, which the binary stores twice: as source and in the bytecode. Here it
// is a file of the binary.

const TEXT = /"data:application\/octet-stream;base64,([A-Za-z0-9+/=]{1000,})"/;

export const smallYoga: Bun.BunPlugin = {
  name: "small-yoga",
  setup(builder) {
    let wasm: Uint8Array = new Uint8Array();
    builder.onLoad({ filter: /[\\/]yoga-wasm-base64-esm\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const [found, base64] = TEXT.exec(text) ?? [];
      if (found === undefined || base64 === undefined)
        throw new Error(`${path} holds its module otherwise than gsv knows`);
      wasm = Buffer.from(base64, "base64");
      const read = `("data:application/octet-stream;base64," + readFileSync(new URL(wasm, import.meta.url)).toString("base64"))`;
      const imports = `import { readFileSync } from "node:fs"; import wasm from "yoga-file:yoga";`;
      return { contents: `${imports}\n${text.replace(found, () => read)}`, loader: "js" };
    });
    builder.onResolve({ filter: /^yoga-file:/ }, () => ({ path: "/yoga.wasm", namespace: "yoga-file" }));
    builder.onLoad({ filter: /.*/, namespace: "yoga-file" }, () => ({ contents: wasm, loader: "file" }));
  },
};
