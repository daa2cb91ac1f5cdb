// How the groups of the contract are written: a title that says what is promised, and what shows it on a fresh process.

import type { Subject } from "../../support/process-subject.ts";

export type Claims = { readonly [title: string]: (subject: Subject) => Promise<void> };
