// What is downloaded: the binary.

import { BINARY } from "./machine.ts";
import type { Row } from "./measure.ts";

// Higher levels gain a few per cent more and take a minute.
const ZSTD_LEVEL = 12;

export async function sizeRows(): Promise<Row[]> {
  const bytes = await Bun.file(BINARY).bytes();
  const packed = await Bun.zstdCompress(bytes, { level: ZSTD_LEVEL });
  return [
    {
      name: "install: the binary",
      unit: "MB",
      median: bytes.length / 1e6,
      budget: 135,
      floor: { value: Bun.file(process.execPath).size / 1e6, what: "Bun itself" },
    },
    { name: `install: compressed (zstd ${ZSTD_LEVEL})`, unit: "MB", median: packed.length / 1e6, budget: 50 },
  ];
}
