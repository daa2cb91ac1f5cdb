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

test("offsets and lengths of a substring may have defaults", async () => {
  const script = `x=hello i=1; echo \${x:\${i:-0}:2} "\${x:\${n:-1}:\${m:-2}}" \${x:\${n:-2}} "\${x: -\${n:-2}}"
    a=(p q r s); echo "\${a[@]:\${i:-2}}" "\${a[@]:\${n:-2}:1}"; y=\${x:\${n:-4}:1}; echo $y`;
  expect(await output(script)).toBe("el el llo lo\nq r s r\no\n");
});

test("the header of a for loop may hold expansions", async () => {
  const script = `set -e; declare -A c=([k]=2)
    for ((i=\${n:-0}; i<\${m:-4}; i++)); do [ $i = 2 ] && continue; echo $i; done
    for ((j=0; j<\${c[k]}; j++)); do for ((l=0; l<\${c[k]:-0}; l++)); do echo $j$l; [ $l = 1 ] && break 2; done; done
    for ((j=0; j<\${c[none]:-1}; j++)); do read -r line; echo "read $line"; done <<< one`;
  expect(await output(script)).toBe("0\n1\n3\n00\n01\nread one\n");
});

test("an array is printed as its declaration", async () => {
  expect(await output(`a=(x "y z"); echo "\${a[@]@A}"; f() { local l=(1); echo "\${l[*]@A}"; }; f`)).toBe(
    `declare -a a=([0]="x" [1]="y z")\ndeclare -a l=([0]="1")\n`,
  );
});

test("PIPESTATUS has all elements when a trap is set", async () => {
  const script = `trap 'echo ERR $?' ERR; true | false | true; echo "\${PIPESTATUS[@]}"
    true | false; echo "$? \${PIPESTATUS[*]}"; false | false || echo "or \${PIPESTATUS[*]}"
    false; status=$?; echo "status $status"; trap 'echo stopped' TERM; false | true; echo "\${PIPESTATUS[@]}"`;
  expect(await output(script)).toBe("0 1 0\nERR 1\n1 0 1\nor 1 1\nERR 1\nstatus 1\n1 0\n");
});

test("an assignment after a failure succeeds", async () => {
  const script = `false; x=1 && echo "one $x"; f() { false; r=(1); }; f && echo two; x=$(false) || echo kept
    set -e; false || status=$?; echo "status $status"; g() { [ -n "" ] || status=$?; }; g; echo end`;
  expect(await output(script)).toBe("one 1\ntwo\nkept\nstatus 1\nend\n");
});
