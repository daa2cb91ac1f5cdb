// The files of gsv: a directory to browse and to upload into, or one file to read, edit and download.

import { useCallback, useEffect, useRef, useState } from "react";
import { messageOf } from "../../../src/abi/errno.ts";
import { hashOf } from "../route.ts";
import type { ViewProps } from "../views/view-props.ts";
import { DirectoryView } from "./directory-view.tsx";
import { stepsTo } from "./file-path.ts";
import { FileView } from "./file-view.tsx";
import { type Place, readPlace } from "./place.ts";

export function Files({ gsv, state: { route, who, line } }: ViewProps) {
  const wanted = route.view === "files" ? route.path : "~";
  const [place, setPlace] = useState<Place | null>(null);
  const [notice, setNotice] = useState("");
  const latest = useRef(wanted);
  latest.current = wanted;
  const read = useCallback(async () => {
    try {
      const found = await readPlace(gsv.call, wanted);
      if (latest.current === wanted) setPlace(found);
    } catch (error) {
      if (latest.current !== wanted) return;
      setPlace(null);
      setNotice(messageOf(error));
    }
  }, [gsv, wanted]);
  useEffect(() => {
    setNotice("");
    void read();
  }, [read]);
  const go = (path: string) => gsv.go({ view: "files", path });
  const steps = stepsTo(place?.path ?? (wanted.startsWith("~") ? "" : wanted));
  return (
    <main className="files">
      <h1 className="summary">
        <span className="spoken">Files: {place?.path ?? wanted}</span>
      </h1>
      <nav className="steps" aria-label="path">
        {steps.map(({ name, path }, at) => (
          <a
            key={path}
            href={hashOf({ view: "files", path })}
            aria-current={at === steps.length - 1 ? "page" : undefined}
          >
            {name}
          </a>
        ))}
        <a className="home" href={hashOf({ view: "files", path: "~" })}>
          Home
        </a>
      </nav>
      {place?.kind === "directory" && (
        <DirectoryView key={place.path} {...{ gsv, place, go, setPlace, setNotice, read }} />
      )}
      {place?.kind === "file" && who !== null && (
        <FileView key={place.path} {...{ gsv, go, setNotice, read }} file={place} uid={who.uid} />
      )}
      {place === null && notice === "" && <p className="dim">{line.kind === "open" ? "Reading…" : ""}</p>}
      <p className="notice" role="status">
        {notice}
      </p>
    </main>
  );
}
