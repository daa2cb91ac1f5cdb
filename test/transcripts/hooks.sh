# A hook is found, looked at, allowed, and refuses a tool call; changed, it is asked no more.

gsv hooks list
#! gsv: created a home at /tmp/x/home
#! (no hooks; see: gsv man 7 hooks)
DIR=$GSV_HOME/hooks.d/tool-before; mkdir -p $DIR
printf '#!/bin/sh\nif grep -q "rm "; then echo "keep it" >&2; exit 2; fi\n' > $DIR/no-rm; chmod 755 $DIR/no-rm
gsv chat 'run "echo rm me"'
#> rm me
#! …
#! gsv: new hook, not allowed yet: gsv hooks allow tool-before/no-rm
#! …
gsv hooks list --json
#> {"hook":"tool-before/no-rm",…"state":"new",…}
gsv hooks allow tool-before/no-rm
#! tool-before/no-rm, 64 bytes, sha256:…
#! …
#! 
#!   #!/bin/sh
#!   if grep -q "rm "; then echo "keep it" >&2; exit 2; fi
#! gsv: nothing was allowed: there is no terminal to ask on
#!   read it above, then: gsv hooks allow tool-before/no-rm --yes
#= 2
gsv hooks allow tool-before/no-rm --yes
#> tool-before/no-rm is allowed (sha256:…)
gsv chat 'run "echo rm me"'
#> Not done: run echo rm me. refused by the hook tool-before/no-rm: keep it; do not try another way.
#! …
gsv hooks test tool-before/no-rm
#> tool-before/no-rm exited with status 2 after … ms; a tool call would be refused
#> keep it
echo '{"tool":"Read"}' | gsv hooks run tool-before/no-rm -
#> tool-before/no-rm exited with status 0 after … ms; a tool call would go on

echo "# more" >> $DIR/no-rm
gsv hooks list --json
#> {"hook":"tool-before/no-rm",…"state":"changed",…}
gsv chat 'run "echo fine"'
#> Not done: run echo fine. nothing was done: hook tool-before/no-rm must agree first, but gave no answer: it was changed since it was allowed. A person can fix that: gsv hooks list
#! …
gsv hooks deny tool-before/no-rm
#> tool-before/no-rm is denied (sha256:…)
gsv chat 'run "echo fine"' 2>/dev/null
#> fine
chmod 775 $DIR/no-rm
gsv doctor hooks
#> problem  hooks  the hook tool-before/no-rm does not run: others can write to it → chmod go-w …
#! …
#= 1
