// `coproc` beside what the recordings of bash show: its end, its refusals, and where else it may stand.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { HOME, Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());
beforeEach(() => scripts.reset());

test("the end of the script ends its coprocesses: those that read see the end, others are stopped", async () => {
  const script = `coproc A { while read -r x; do echo "heard $x" >&2; done; echo over >&2; }
    coproc B { sleep 1000; echo never >&2; }
    echo hi >&\${A[1]}; exit 4`;
  const { exit, stdout, stderr } = await scripts.run(script);
  expect([exit, stdout]).toEqual([4, ""]);
  expect(stderr).toMatch(/^bash: warning: execute_coproc: coproc \[\d+:A\] still exists\nheard hi\nover\n$/);
});

test("two coprocesses answer at the same time, and a signal to an ended one fails", async () => {
  const script = `coproc A { cat; }; coproc B { tr a-z A-Z; } 2> /dev/null
    echo one >&\${A[1]}; echo two >&\${B[1]}; exec {B[1]}>&-
    read -r b <&\${B[0]}; read -r a <&\${A[0]}; echo "$a $b"
    kill -0 $A_PID && echo runs; kill -9 $A_PID; pid=$A_PID; wait $A_PID; echo "$? \${A_PID-gone}"; wait $pid; echo $?`;
  const { stdout } = await scripts.run(script);
  expect(stdout).toBe("one TWO\nruns\n137 gone\n127\n");
});

test("a function keeps it in its text, and a sourced file and a job may start one", async () => {
  await scripts.files.write(`${HOME}/lib.sh`, Buffer.from("coproc LIB { read -r x; echo [$x]; }\n"), "start");
  const script = `. ${HOME}/lib.sh; echo a >&\${LIB[1]}; read -r y <&\${LIB[0]}; echo "$y"
    (coproc { read -r x; echo "<$x>"; }; echo b >&\${COPROC[1]}; cat <&\${COPROC[0]}) & wait
    f() { coproc IN { cat; }; }; declare -f f | grep coproc`;
  expect(await scripts.run(script)).toMatchObject({ exit: 0, stdout: "[a]\n<b>\n    coproc IN { cat; }\n" });
});

test.each([
  ["coproc", 2, "coproc: only in a script, as coproc NAME { cmd; } or coproc cmd"],
  ["coproc x=1 cat", 2, "coproc: only in a script, as coproc NAME { cmd; } or coproc cmd"],
  ["eval 'coproc cat'", 1, "coproc: only in a script, as coproc NAME { cmd; } or coproc cmd"],
  [`coproc cat; exec >&\${COPROC[1]}`, 1, "exec: a coproc cannot take the place of descriptor 1; redirect a group"],
  [`coproc cat; ls 7>&\${COPROC[1]}`, 1, "7: only exec can copy a descriptor of a coproc to it"],
  [`coproc cat; echo x >&\${COPROC[0]}`, 1, "63: Bad file descriptor"],
  [`coproc cat; exec {COPROC[1]}>&-; echo x >&60`, 1, "60: Bad file descriptor"],
] as const)("refused: %s", async (script, exit, message) => {
  const end = await scripts.run(script);
  expect({ exit: end.exit, stdout: end.stdout }).toEqual({ exit, stdout: "" });
  expect(end.stderr.replace(/^bash: (?:eval: )?(?:line \d: )?/, "")).toBe(`${message}\n`);
});
