// The entry of the Worker that searches trees of this computer. Several searches take turns. It may be terminated at any moment.

import { wholeHostFs } from "../../fs/disk/host.ts";
import { Namespace } from "../../fs/namespace.ts";
import { searchTree } from "../../fs/read/search.ts";
import { type FromSearcher, failureOf, type SearchJob, type ToSearcher } from "../kernel/files/search-thread.ts";
import { realClock } from "../lib/clock.ts";

declare const self: Worker;

const post = (message: FromSearcher) => self.postMessage(message);
const running = new Map<number, AbortController>();

self.onmessage = ({ data }: MessageEvent<ToSearcher>) => {
  if (data.kind === "search") void search(data.id, data.job);
  else running.get(data.id)?.abort();
};

async function search(id: number, { view, ...request }: SearchJob): Promise<void> {
  const aborting = new AbortController();
  running.set(id, aborting);
  const fs = wholeHostFs({
    home: view.home,
    owner: async () => view.owner,
    unseen: () => view.unseen,
    attached: async () => view.attached,
    clock: realClock,
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  });
  const namespace = new Namespace([{ at: "/", fs }]);
  try {
    const result = await searchTree({ ...request, namespace, signal: aborting.signal });
    post({ kind: "found", id, result });
  } catch (error) {
    post({ kind: "failed", id, failure: failureOf(error) });
  } finally {
    running.delete(id);
  }
}
