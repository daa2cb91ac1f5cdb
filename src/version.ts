// Which gsv this is. The commit is filled in by src/build.ts; a run from source has none.

import { version } from "../package.json" with { type: "json" };

declare const GSV_BUILD_COMMIT: string | undefined;

export const VERSION: string = version;
export const COMMIT: string = typeof GSV_BUILD_COMMIT === "string" ? GSV_BUILD_COMMIT : "source";
