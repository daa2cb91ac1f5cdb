// Another process's history put into one that is being made: same numbers, same words, and the segments that shape it. Done page by page;
// a page that comes again after a crash changes nothing.

import type { Db } from "../../open.ts";
import type { HeadRow } from "../head.ts";
import { insertMessage } from "../rows.ts";
import type { Graft } from "../verbs.ts";
import { putRewind } from "./rewinds.ts";

export function graft(db: Db, head: HeadRow, { messages, segments, rewinds = [] }: Graft): null {
  const last = db.get<{ id: number | null }>("SELECT max(id) AS id FROM messages")?.id ?? 0;
  for (const message of messages) if (message.id > last) insertMessage(db, head.generation, message);
  for (const each of segments) {
    db.run(
      `INSERT OR IGNORE INTO segments (id, generation, from_message_id, to_message_id, summary_message_id, cause, model,
         tokens_before, tokens_after, created_at, undone_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      each.id,
      head.generation,
      each.fromSeq,
      each.toSeq,
      each.summarySeq,
      each.cause,
      each.model,
      each.tokensBefore,
      each.tokensAfter,
      each.createdAt,
      each.undoneAt,
    );
  }
  for (const each of rewinds) putRewind(db, each);
  head.nextSeq = Math.max(head.nextSeq, (messages.at(-1)?.id ?? 0) + 1);
  return null;
}
