// The form of the contract's groups: a title with the promise, and a test of it on a fresh process.

import type { Subject } from "../../support/process-subject.ts";

export type Claims = { readonly [title: string]: (subject: Subject) => Promise<void> };
