// The service behind net.fetch: long pages in parts, and which addresses a caller may reach. Target gsv: the public internet and hosts that the owner allowed by name.
// Target host: also this computer and its networks.

import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { ConfigRows } from "../store/kernel/config.ts";
import type { FileTarget } from "../syscalls/fs/files-service.ts";
import type { PageRest, Web } from "../syscalls/run/net.ts";
import { fetchPage, type WebPorts } from "../tools/web.ts";
import { needReachable, type Reach, webUrl } from "../tools/web-hop.ts";
import { settingsFor } from "./settings/config.ts";

export interface WebServicePorts extends WebPorts {
  readonly settings: ConfigRows;
  readonly random: RandomBytes;
  readonly authoriseHost: (caller: Caller) => Promise<void>;
}

const MARK_BYTES = 4;
/** A unit takes at most six bytes as JSON, so that a part fits into a frame. */
const PART_UNITS = 128 * 1024;
const PAGES_KEPT_MAX = 4;
const KEPT_MS = 60_000;

export function webService(ports: WebServicePorts): Web {
  const reachOf = async (caller: Caller, target: FileTarget): Promise<Reach> => {
    if (target === "host") await ports.authoriseHost(caller);
    const setting = await settingsFor(ports.settings, { uid: caller.ownerUid, client: undefined });
    return { allowed: hostsIn(setting("net.allow").text), private: target === "host" };
  };
  const parts = new PageParts(ports);
  return {
    async page(caller, { url, raw, target }, signal) {
      const reach = await reachOf(caller, target);
      const page = await fetchPage(ports, { url, raw, signal, reach, followsAnywhere: caller.kind === "person" });
      const marked = { ...page, mark: Buffer.from(ports.random(MARK_BYTES)).toString("hex") };
      // Models get results inside the kernel, where no frame limits them.
      return caller.kind === "person" ? parts.first(caller, marked) : marked;
    },

    rest: async (caller, rest) => parts.next(caller, rest),

    async needFetchable(caller, { url, target }) {
      needReachable(webUrl(url), await reachOf(caller, target));
    },
  };
}

type Page = Awaited<ReturnType<Web["page"]>>;

interface KeptPage {
  readonly id: string;
  readonly uid: number;
  readonly page: Page;
  readonly forget: () => void;
}

/** Texts of pages that are longer than an answer on the wire, until they are read to the end. */
class PageParts {
  private readonly kept: KeptPage[] = [];

  constructor(private readonly ports: Pick<WebServicePorts, "clock" | "random">) {}

  first(caller: Caller, page: Page): Page {
    if (page.text.length <= PART_UNITS) return page;
    const { clock, random } = this.ports;
    const id = uuidv7(clock.now(), random);
    while (this.kept.length >= PAGES_KEPT_MAX) this.drop(this.kept[0]?.id ?? "");
    this.kept.push({ id, uid: caller.uid, page, forget: clock.after(KEPT_MS, () => this.drop(id)) });
    return this.next(caller, { page: id, from: 0 });
  }

  next({ uid }: Caller, { page: id, from }: PageRest): Page {
    const kept = this.kept.find((each) => each.id === id && each.uid === uid);
    if (kept === undefined) throw new SysError("EAGAIN", "the rest of the page is gone", ["fetch it again"]);
    const { text } = kept.page;
    // A letter of two units stays whole.
    const isPair = (text.charCodeAt(from + PART_UNITS - 1) & 0xfc00) === 0xd800;
    const end = from + PART_UNITS - (isPair ? 1 : 0);
    const part = { ...kept.page, text: text.slice(from, end) };
    if (end < text.length) return { ...part, rest: { page: id, from: end } };
    this.drop(id);
    return part;
  }

  private drop(id: string): void {
    const at = this.kept.findIndex((each) => each.id === id);
    if (at !== -1) this.kept.splice(at, 1)[0]?.forget();
  }
}

/** The value of net.allow. */
export function hostsIn(json: string): readonly string[] {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
