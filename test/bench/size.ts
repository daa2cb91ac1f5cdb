// Size of the download.

import { BINARY } from "./machine.ts";
import type { Row } from "./measure.ts";

// Compressed as for a release, which takes a minute. Unpacking is equally fast at any level.
const ZSTD_LEVEL = 19;

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
