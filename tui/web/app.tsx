import { Diff } from "./text/diff.tsx";
import { changeLines, countsOf, shownLines } from "./text/diff-lines.ts";
import { Markdown } from "./text/markdown.tsx";
import { Entries } from "./views/entries.tsx";

export function App() {
  const lines = [...changeLines("", "", null), ...shownLines("")];
  return (
    <main>
      <h1>gsv</h1>
      <Entries>
        <Markdown text="gsv" />
        {countsOf(lines).added > 0 && <Diff lines={lines} label="changes" />}
      </Entries>
    </main>
  );
}
