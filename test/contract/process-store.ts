// The contract between every process store and the kernel, for any storage engine. One group a file; each promise on a process of its own.

import { describe, test } from "bun:test";
import { type Engine, Subject } from "../support/process-subject.ts";
import { APPROVALS } from "./process-store/approvals.ts";
import { CARE } from "./process-store/care.ts";
import type { Claims } from "./process-store/claims.ts";
import { CLOSING } from "./process-store/closing.ts";
import { FENCES } from "./process-store/fences.ts";
import { HOLDING } from "./process-store/holding.ts";
import { INBOX } from "./process-store/inbox.ts";
import { KNOWN } from "./process-store/known.ts";
import { PAGES } from "./process-store/pages.ts";
import { RECOVERY } from "./process-store/recovery.ts";
import { REWINDS } from "./process-store/rewinds.ts";
import { SEGMENTS } from "./process-store/segments.ts";
import { SWEEPING } from "./process-store/sweeping.ts";
import { TEXTS } from "./process-store/texts.ts";
import { TURNS } from "./process-store/turns.ts";

const GROUPS: { readonly [group: string]: Claims } = {
  inbox: INBOX,
  fences: FENCES,
  turns: TURNS,
  approvals: APPROVALS,
  holding: HOLDING,
  care: CARE,
  closing: CLOSING,
  recovery: RECOVERY,
  pages: PAGES,
  known: KNOWN,
  texts: TEXTS,
  segments: SEGMENTS,
  rewinds: REWINDS,
  sweeping: SWEEPING,
};

export function processStoreContract(name: string, make: () => Engine): void {
  for (const [group, claims] of Object.entries(GROUPS)) {
    describe(`${name}, ${group}`, () => {
      for (const [title, holds] of Object.entries(claims)) {
        test(title, async () => {
          const engine = make();
          try {
            await holds(await Subject.on(engine));
          } finally {
            await engine.dispose();
          }
        });
      }
    });
  }
}
