// One directory: choose and open with the keyboard, upload by button or drop. A file that exists is replaced only when the person says so.

import { useEffect, useRef, useState } from "react";
import { ageText } from "../../../commands/io/table-layout.ts";
import { messageOf } from "../../../src/abi/errno.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { sizeText } from "../../../src/lib/text/size.ts";
import type { FileEntry } from "../../../src/syscalls/fs/fs-tree.ts";
import { hashOf } from "../route.ts";
import type { Console } from "../store/console.ts";
import { keyOf } from "../views/key-of.ts";
import { Keys } from "../views/keys.tsx";
import { useKeys } from "../views/use-keys.ts";
import { inside, parentOf } from "./file-path.ts";
import { type Directory, readDirectory } from "./place.ts";
import { Question } from "./question.tsx";
import { upload } from "./transfer.ts";
import { useDrop } from "./use-drop.ts";

interface DirectoryProps {
  readonly gsv: Console;
  readonly place: Directory;
  readonly go: (path: string) => void;
  readonly setPlace: (place: Directory) => void;
  readonly setNotice: (notice: string) => void;
  readonly read: () => Promise<void>;
}

const KEYS = [
  ["↑↓", "choose"],
  ["enter", "open"],
  ["backspace", "up"],
  ["u", "upload"],
] as const;

export function DirectoryView(props: DirectoryProps) {
  const { gsv, place, go, setPlace, setNotice } = props;
  const { path, entries, next } = place;
  const [at, setAt] = useState(0);
  const chosen = Math.min(at, entries.length - 1);
  const field = useRef<HTMLInputElement>(null);
  const { send, taken, replace, keep } = useUpload(props);
  const isOver = useDrop(send);
  useKeys((event, isInField) => {
    const key = keyOf(event);
    if (key === null || key.ctrl || key.alt || isInField) return false;
    const entry = entries[chosen];
    if (key.name === "down") setAt(Math.min(entries.length - 1, chosen + 1));
    else if (key.name === "up") setAt(Math.max(0, chosen - 1));
    else if (key.name === "home") setAt(0);
    else if (key.name === "end") setAt(entries.length - 1);
    else if (key.name === "backspace") go(parentOf(path));
    else if (key.text === "u") field.current?.click();
    else if (key.name === "enter" && entry !== undefined && !isOnControl(event)) go(inside(path, entry.name));
    else return false;
    return true;
  });
  const more = () =>
    void readDirectory(gsv.call, path, place).then(setPlace, (error) => setNotice(`No more: ${messageOf(error)}`));
  return (
    <div className={isOver ? "drop over" : "drop"}>
      <div className="tools">
        <button type="button" onClick={() => field.current?.click()}>
          Upload
        </button>
        <input
          ref={field}
          type="file"
          hidden
          multiple
          aria-label="Files to upload"
          onChange={(event) => {
            send([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <span className="dim">or drop files here</span>
      </div>
      {taken.map((file) => (
        <Question
          key={file.name}
          label="File exists"
          act={["Replace", () => replace(file)]}
          stay={["Keep", () => keep(file)]}
        >
          <p>
            <b className="needs">{reveal(file.name)} exists.</b>
          </p>
        </Question>
      ))}
      <Entries {...{ gsv, path, entries, chosen, setAt }} />
      {entries.length === 0 && <p className="dim">Empty.</p>}
      {next !== null && (
        <button type="button" onClick={more}>
          More
        </button>
      )}
      <Keys keys={KEYS} />
    </div>
  );
}

function isOnControl({ target }: Event): boolean {
  return target instanceof HTMLElement && target.matches("a, button");
}

function useUpload({ place: { path }, setNotice, read }: DirectoryProps) {
  const [taken, setTaken] = useState<readonly File[]>([]);
  const keep = (file: File) => setTaken((now) => now.filter((each) => each !== file));
  const put = async (file: File, mayReplace: boolean) => {
    setNotice(`Uploading ${reveal(file.name)}…`);
    try {
      const done = await upload(inside(path, file.name), file, mayReplace);
      setNotice(done === "stored" ? `Uploaded ${reveal(file.name)}` : "");
      if (done === "exists") setTaken((now) => [...now.filter(({ name }) => name !== file.name), file]);
      return true;
    } catch (error) {
      setNotice(`${reveal(file.name)} is not uploaded: ${messageOf(error)}`);
      return false;
    }
  };
  const send = async (files: readonly File[]) => {
    // One after the other, until one fails: its reason stays in sight.
    for (const file of files) if (!(await put(file, false))) break;
    await read();
  };
  const replace = async (file: File) => {
    keep(file);
    if (!(await put(file, true))) setTaken((now) => [...now, file]);
    await read();
  };
  return {
    ...{ taken, keep },
    send: (files: readonly File[]) => void send(files),
    replace: (file: File) => void replace(file),
  };
}

interface EntriesProps {
  readonly gsv: Console;
  readonly path: string;
  readonly entries: readonly FileEntry[];
  readonly chosen: number;
  readonly setAt: (at: number) => void;
}

function Entries({ gsv, path, entries, chosen, setAt }: EntriesProps) {
  const link = useRef<HTMLAnchorElement>(null);
  const last = useRef(chosen);
  const now = gsv.clock.now();
  useEffect(() => {
    if (last.current !== chosen) link.current?.focus();
    last.current = chosen;
  }, [chosen]);
  if (entries.length === 0) return null;
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className="right">
            Size
          </th>
          <th scope="col" className="right m2">
            Mode
          </th>
          <th scope="col" className="right">
            Age
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ name, kind, size, mode, mtimeMs, target }, at) => (
          <tr key={name} className={at === chosen ? "selected" : undefined} onClick={() => setAt(at)}>
            <td className="wide">
              <a
                href={hashOf({ view: "files", path: inside(path, name) })}
                ref={at === chosen ? link : undefined}
                tabIndex={at === chosen ? 0 : -1}
              >
                {reveal(name)}
                {kind === "directory" ? "/" : ""}
              </a>
              {target !== undefined && <span className="dim"> → {reveal(target)}</span>}
            </td>
            <td className="right dim">{kind === "file" ? sizeText(size) : ""}</td>
            <td className="right dim m2">{mode}</td>
            <td className="right dim">{mtimeMs > 0 ? ageText(mtimeMs, now) : ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
