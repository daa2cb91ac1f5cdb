// The terminal is lent to one program after the other. A line of gsv's shell stops and continues together with gsv.

import { expect, test } from "bun:test";
import { Lending } from "../../tui/screen/lending.ts";
import { Shown } from "../support/shown.ts";

function lending() {
  const said: string[] = [];
  const { screen, clock } = new Shown(40, 12);
  let resumed = () => {};
  const made = new Lending({
    terminal: {
      take: () => said.push("take"),
      give: () => said.push("give"),
      onBack: (listener: () => void) => {
        resumed = listener;
      },
    } as never,
    screen,
    clock,
    read: () => {},
    back: () => said.push("back"),
    notice: () => {},
    continues: (text) => said.push(`continues ${text}`),
  });
  return { made, said, resume: () => resumed() };
}

test("a line that continues after gsv was suspended is named; other programs show themselves", async () => {
  for (const line of ["sleep 100", null]) {
    const { made, said, resume } = lending();
    const over = Promise.withResolvers<void>();
    made.lend(() => over.promise, line);
    await Bun.sleep(0);
    resume();
    over.resolve();
    await Bun.sleep(0);
    expect(said).toEqual(["give", ...(line === null ? [] : ["continues sleep 100"]), "take", "back"]);
  }
});
