// The import gives the path of the WebAssembly file in the binary.

declare module "@jitl/quickjs-wasmfile-release-sync/wasm" {
  const path: string;
  export default path;
}
