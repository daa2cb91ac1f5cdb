#### bc sums
echo "2^10" | bc; echo "scale=3; 10/3" | bc; echo "(1.5+2)*3" | bc; bc <<< "5>3"; echo "sqrt(2)" | bc -l; echo "ibase=16; FF" | bc
x=7; echo "scale=2; $x/2" | bc -l; echo "10 % 3; 2 * 3" | bc; echo "obase=2; 10" | bc; echo "0.1+0.2; .5*.5; -3/2; 1/3" | bc; echo "100*1.08" | bc
#### bc programs
bc <<'B'
define f(n) { if (n <= 1) return 1; return n * f(n-1); }
f(20)
for (i = 0; i < 3; i++) { i * 2 }
x = 5
x += 2; x
while (x > 5) x = x - 1
x; print "x is ", x, "\n"
a[1]=3; a[1]*2
B
#### bc long
echo "2^300" | bc; echo "scale=80; 1/7" | bc
#### bc math
echo "s(1); c(1); a(1)*4; l(10); e(1)" | bc -l; echo "scale=4; e(2.5); l(2); s(10)" | bc -l
#### bc faults
echo "1/0" | bc; echo $?; echo "2 +" | bc; echo "foo(1)" | bc 2>&1 | head -1; echo "if (1 > 2) 5 else 6" | bc; echo '3 == 3 && 2 != 2; !0' | bc; echo "scale(1.234); length(1234.5)" | bc
#### bc percent
printf 'scale=1; %d*100/%d\n' 3 7 | bc; awk 'BEGIN{print 3*100/7}'; if (( $(echo "1.5 > 1.2" | bc -l) )); then echo bigger; fi; echo "scale=2; 5.0 * 2" | bc; echo "5.25 % 2; -7 % 3; scale=2; 5.25 % 2" | bc
#### arith subst plain
if (( $(echo 1) )); then echo a; fi; (( $(echo 0) )) || echo b
#### arith subst quoted
if (( $(echo "1.5 > 1.2" | bc -l) )); then echo bigger; fi
#### arith subst quoted2
if (( $(echo "1" | cat) )); then echo bigger; fi
#### arith subst var
a=2.5; b=2.1; if (( $(echo "$a > $b" | bc -l) )); then echo bigger; fi; if [ "$(echo "$a < $b" | bc)" -eq 0 ]; then echo notless; fi
