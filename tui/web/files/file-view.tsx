// One file: its text as text, never as a page; an editor on request; its bytes as a download.

import { useRef, useState } from "react";
import { ageText } from "../../../commands/io/table-layout.ts";
import { messageOf } from "../../../src/abi/errno.ts";
import { sizeText } from "../../../src/lib/text/size.ts";
import type { Console } from "../store/console.ts";
import { keyOf } from "../views/key-of.ts";
import { Keys } from "../views/keys.tsx";
import { useKeys } from "../views/use-keys.ts";
import { type Draft, draftOf, keepDraft } from "./draft.ts";
import { Editor } from "./editor.tsx";
import { parentOf } from "./file-path.ts";
import { shownText } from "./file-text.ts";
import type { OpenFile } from "./place.ts";
import { download } from "./transfer.ts";

interface FileProps {
  readonly gsv: Console;
  readonly file: OpenFile;
  readonly uid: number;
  readonly go: (path: string) => void;
  readonly setNotice: (notice: string) => void;
  readonly read: () => Promise<void>;
}

export function FileView({ gsv, file, uid, go, setNotice, read }: FileProps) {
  const { path, size, mtimeMs, version, content } = file;
  const place = { uid, path };
  const [draft, setDraft] = useState(() => draftOf(place));
  const text = useRef<HTMLPreElement>(null);
  const write = (next: Draft | null) => {
    keepDraft(place, next);
    setDraft(next);
  };
  const newline = content?.newline ?? null;
  const edit = () => {
    setNotice("");
    if (content !== null && newline !== null) setDraft({ text: content.text, newline, version });
  };
  const save = () => {
    setNotice("");
    download(path).catch((error) => setNotice(`Not downloaded: ${messageOf(error)}`));
  };
  useKeys((event, isInField) => {
    const key = keyOf(event);
    if (key === null || key.ctrl || key.alt || isInField || draft !== null) return false;
    if (key.text === "e" && newline !== null) edit();
    else if (key.text === "d") save();
    else if (key.name === "backspace") go(parentOf(path));
    else return false;
    return true;
  });
  if (draft !== null)
    return (
      <Editor
        {...{ gsv, path, draft, write }}
        isChanged={draft.text !== content?.text || draft.version !== version}
        onDone={async (done) => {
          write(null);
          await read();
          setNotice(done);
        }}
      />
    );
  return (
    <>
      <div className="tools">
        {newline !== null && (
          <button type="button" onClick={edit}>
            Edit
          </button>
        )}
        <button type="button" onClick={save}>
          Download
        </button>
        <span className="dim">
          {sizeText(size)}
          {mtimeMs > 0 && ` · changed ${ageText(mtimeMs, gsv.clock.now())} ago`}
          {content !== null && newline === null && " · mixed line ends, not editable here"}
        </span>
      </div>
      {content === null ? (
        <p className="dim">No text, or too long to show. Download it.</p>
      ) : (
        <pre ref={text} className="file-text" tabIndex={0} aria-label="content" role="region">
          {content.text === "" ? <span className="dim">Empty.</span> : shownText(content.text)}
        </pre>
      )}
      <Keys
        keys={[
          ["e", "edit"],
          ["d", "download"],
          ["backspace", "up"],
        ]}
      />
    </>
  );
}
