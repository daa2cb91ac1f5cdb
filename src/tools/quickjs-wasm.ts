// The WebAssembly module of QuickJS. In the binary it is a compressed file (src/bundle/ready-made.ts).

import wasm from "@jitl/quickjs-wasmfile-release-sync/wasm" with { type: "file" };

export async function quickjsWasm(): Promise<ArrayBuffer> {
  return await Bun.file(wasm).arrayBuffer();
}
