// What the schemas have come to. A binary holds it as it came out when it was built (src/bundle/ready-made.ts): whoever only reads needs
// no migration for it.

import type { Edition } from "../edition.ts";
import { editionOf } from "../migrate.ts";
import { KERNEL_SCHEMA } from "./kernel.ts";
import { PROCESS_SCHEMA } from "./process.ts";

export const KERNEL_EDITION: Edition = editionOf(KERNEL_SCHEMA);
export const PROCESS_EDITION: Edition = editionOf(PROCESS_SCHEMA);
