// The editor of one file. It saves only over the version that it began with. After a change by somebody else it shows the difference, and the
// person chooses; the text stays until it is saved or discarded.

import { type KeyboardEvent, useLayoutEffect, useRef, useState } from "react";
import { messageOf } from "../../../src/abi/errno.ts";
import type { Console } from "../store/console.ts";
import { Diff } from "../text/diff.tsx";
import { changeLines } from "../text/diff-lines.ts";
import { Keys } from "../views/keys.tsx";
import type { Draft } from "./draft.ts";
import { nameOf } from "./file-path.ts";
import { type OpenFile, reread, save } from "./place.ts";
import { Question } from "./question.tsx";

interface EditorProps {
  readonly gsv: Console;
  readonly path: string;
  readonly draft: Draft;
  readonly write: (draft: Draft) => void;
  readonly isChanged: boolean;
  readonly onDone: (notice: string) => Promise<void>;
}

type Phase =
  | { readonly kind: "editing" | "saving" | "leaving" }
  /** `theirs`: null if the file is gone. */
  | { readonly kind: "conflict"; readonly theirs: OpenFile | null };

export function Editor({ gsv, path, draft, write, isChanged, onDone }: EditorProps) {
  const [phase, setPhase] = useState<Phase>({ kind: "editing" });
  const [notice, setNotice] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, newline } = draft;
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(0, 0);
  }, []);
  const store = async (version: string | null) => {
    if (phase.kind === "saving") return;
    setPhase({ kind: "saving" });
    setNotice("");
    try {
      const done = await save(gsv.call, { path, text, newline, version });
      if (done === "saved") return await onDone(`Saved ${nameOf(path)}`);
      setPhase({ kind: "conflict", theirs: await reread(gsv.call, path) });
    } catch (error) {
      setPhase({ kind: "editing" });
      setNotice(`Not saved: ${messageOf(error)}`);
    }
  };
  const cancel = () => {
    if (isChanged) setPhase({ kind: "leaving" });
    else void onDone("");
  };
  const edit = () => {
    setPhase({ kind: "editing" });
    field.current?.focus();
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) void store(draft.version);
    else if (event.key === "Escape") cancel();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="tools">
        <button
          type="button"
          className="main"
          disabled={phase.kind === "saving" || !isChanged}
          onClick={() => void store(draft.version)}
        >
          {phase.kind === "saving" ? "Saving…" : "Save"}
        </button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
        <span className="dim">{isChanged ? "not saved yet" : ""}</span>
      </div>
      {phase.kind === "leaving" && (
        <Question label="Discard changes" act={["Discard", () => void onDone("")]} stay={["Keep editing", edit]}>
          <p>
            <b className="needs">Discard your changes?</b>
          </p>
        </Question>
      )}
      {phase.kind === "conflict" && (
        <Conflict
          {...{ path, text }}
          theirs={phase.theirs}
          onMine={() => void store(phase.theirs?.version ?? null)}
          onTheirs={() => void onDone("")}
          onEdit={edit}
        />
      )}
      <p className="notice" role="status">
        {notice}
      </p>
      <textarea
        ref={field}
        className="editor"
        aria-label={`Text of ${nameOf(path)}`}
        value={text}
        readOnly={phase.kind === "saving"}
        spellCheck={false}
        autoComplete="off"
        onInput={(event) => write({ ...draft, text: event.currentTarget.value })}
        onKeyDown={press}
      />
      <Keys
        keys={[
          ["ctrl-s", "save"],
          ["esc", "cancel"],
        ]}
      />
    </>
  );
}

interface ConflictProps {
  readonly path: string;
  readonly text: string;
  readonly theirs: OpenFile | null;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
  readonly onEdit: () => void;
}

function Conflict({ path, text, theirs, onMine, onTheirs, onEdit }: ConflictProps) {
  const before = theirs?.content?.text ?? null;
  return (
    <Question
      label="Conflict"
      act={[theirs === null ? "Create it again" : "Save mine over it", onMine]}
      other={["Discard mine", onTheirs]}
      stay={["Keep editing", onEdit]}
    >
      <p>
        <b className="needs">
          {theirs === null ? `${nameOf(path)} was deleted meanwhile.` : `${nameOf(path)} has changed meanwhile.`}
        </b>{" "}
        Your text is not saved, and still here.
      </p>
      {before !== null && <Diff lines={changeLines(before, text, 1)} label="From the stored text to yours" />}
    </Question>
  );
}
