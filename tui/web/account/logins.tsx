// Logins over the network: who is in, and the end of a login.

import { useState } from "react";
import { ageText } from "../../../commands/io/table-layout.ts";
import { messageOf } from "../../../src/abi/errno.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import type { LoginInfo } from "../../../src/syscalls/account/login.ts";
import type { ViewProps } from "../views/view-props.ts";
import { useReading } from "./use-reading.ts";

const LIST_MS = 30_000;

export function Logins({ gsv }: Pick<ViewProps, "gsv">) {
  const [ending, setEnding] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const { value, failure, again } = useReading(
    gsv.clock,
    () => gsv.call<{ logins: readonly LoginInfo[] }>("sys.login.list", {}),
    { about: "", everyMs: LIST_MS },
  );
  const now = gsv.clock.now();
  const end = async (id: string) => {
    setEnding(null);
    try {
      await gsv.call("sys.login.revoke", { id });
      setSaid("Login ended");
    } catch (error) {
      setSaid(`Not ended: ${messageOf(error)}`);
    }
    await again();
  };
  return (
    <section className="detail" aria-label="Logins">
      <h2>Logins</h2>
      <ul className="logins">
        {(value?.logins ?? []).map(({ id, kind, label, client, address, lastUsedAt, current }) => (
          <li key={id}>
            <span>
              {reveal(label ?? client ?? kind)}
              <span className="dim">
                {` ${kind}`}
                {address === null ? "" : ` · ${reveal(address)}`}
                {lastUsedAt === null ? "" : ` · used ${ageText(lastUsedAt, now)} ago`}
              </span>
            </span>
            {current ? (
              <span className="ok">this one</span>
            ) : (
              <button
                type="button"
                className={ending === id ? "danger" : undefined}
                aria-label={`End the login ${reveal(label ?? client ?? kind)}`}
                onClick={() => (ending === id ? void end(id) : setEnding(id))}
              >
                {ending === id ? "End it now" : "End…"}
              </button>
            )}
          </li>
        ))}
      </ul>
      <p className="notice" role="status">
        {failure === "" ? said : failure}
      </p>
    </section>
  );
}
