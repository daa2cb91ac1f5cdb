// Versions of the schemas. The build stores them in the binary (src/bundle/ready-made.ts), so readers load no migrations.

import type { Edition } from "../edition.ts";
import { editionOf } from "../migrate.ts";
import { KERNEL_SCHEMA } from "./kernel.ts";
import { PROCESS_SCHEMA } from "./process.ts";

export const KERNEL_EDITION: Edition = editionOf(KERNEL_SCHEMA);
export const PROCESS_EDITION: Edition = editionOf(PROCESS_SCHEMA);
