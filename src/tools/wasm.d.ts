// The machine itself, whose bytes lie in the binary: importing it gives the path to them.

declare module "@jitl/quickjs-wasmfile-release-sync/wasm" {
  const path: string;
  export default path;
}
