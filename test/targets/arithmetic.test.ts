// Expansions within arithmetic, as bash does them: the text is expanded first, then calculated.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());
beforeEach(() => scripts.reset());

async function output(script: string) {
  const { stdout, stderr } = await scripts.run(script);
  return stdout + stderr;
}

test("words are counted in an associative array", async () => {
  const script = `declare -A count=()
    while read -r word; do count[$word]=$(( \${count[$word]:-0} + 1 )); done < <(printf '%s\\n' a b a c a)
    for word in a b c; do echo "$word \${count[$word]}"; done`;
  expect(await output(script)).toBe("a 3\nb 1\nc 1\n");
});

test("prefixes, suffixes, pieces, replacements and defaults count", async () => {
  const script = `t=01:02:03 size=12K v=1.9.3 e=
    echo $(( 10#\${t%%:*} * 3600 + 10#\${t:3:2} * 60 + 10#\${t##*:} )) $(( \${size%K} * 1024 )) $(( \${v//./} ))
    (( \${#v} > 3 && \${v%%.*} == 1 )) && echo yes
    f() { local n=$(( \${1:-2} * 2 )); echo $n; }; f; f 50
    while (( \${n:=2} > 0 )); do echo $((n--)); done
    echo $(( \${e:-4} > 3 ? 1 : 0 ))`;
  expect(await output(script)).toBe("3723 12288 193\nyes\n4\n100\n2\n1\n1\n");
});

test("an expression of such parts still assigns, in the shell itself", async () => {
  const script = `declare -A m=([k]=9); k=k; echo $(( x = \${m[$k]} + 1, x * 2 )) $x; y=$(( z = \${m[none]:-3} )); echo $y $z`;
  expect(await output(script)).toBe("20 10\n3 3\n");
});

test("a variable in braces may be hexadecimal or an expression", async () => {
  expect(await output(`h=0x1f x=7; echo $(( \${h} + 1 )) $(( \${x}\${x} + 1 )) $(( \${x} ))`)).toBe("32 78 7\n");
});

test("an index may hold a length or a calculation", async () => {
  const script = `a=(x y z); i=0; echo "\${a[\${#a[@]}-1]}" "\${a[$((i+1))]}"`;
  expect(await output(script)).toBe("z y\n");
});
