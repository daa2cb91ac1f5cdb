// The frames of src/rpc use three functions of Buffer, which browsers do not have. Imported before everything else.

const encoder = new TextEncoder();

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

Object.assign(globalThis, {
  Buffer: {
    byteLength: (text: string) => encoder.encode(text).length,
    from: (text: string) => encoder.encode(text),
    concat,
  },
});
