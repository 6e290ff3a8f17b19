(* What the analysis of ranges had found of a loop before it gave up was believed: it takes more rounds over the loop to bring
   a value from the first counter to the last than it makes. Here an array was read behind its end. *)

val a = Array.array (6, 1)

fun count (a0, b, c, d, e, f, sum) =
  if a0 < 9 then count (a0 + 1, b, c, d, e, f, sum + (case a0 of 3 => 1 | 5 => 2 | 7 => 4 | _ => 0))
  else if b < 9 then count (0, b + (a0 - 8) mod 2, c, d, e, f, sum)
  else if c < 9 then count (0, 0, c + (b - 8) mod 2, d, e, f, sum)
  else if d < 9 then count (0, 0, 0, d + (c - 8) mod 2, e, f, sum)
  else if e < 9 then count (0, 0, 0, 0, e + (d - 8) mod 2, f, sum)
  else if f < 9 then count (0, 0, 0, 0, 0, f + (e - 8) mod 2, sum + Array.sub (a, f + 5))
  else sum

val () = print (Int.toString (count (0, 0, 0, 0, 0, 0, 0)) ^ "\n" handle Subscript => "Subscript\n")

(* and a comparison was decided *)
fun hits (a, b, c, d, e, f, n) =
  if a < 9 then hits (a + 1, b, c, d, e, f, n)
  else if b < 9 then hits (0, b + (a - 8) mod 2, c, d, e, f, n)
  else if c < 9 then hits (0, 0, c + (b - 8) mod 2, d, e, f, n)
  else if d < 9 then hits (0, 0, 0, d + (c - 8) mod 2, e, f, n)
  else if e < 9 then hits (0, 0, 0, 0, e + (d - 8) mod 2, f, n)
  else if f < 9 then hits (0, 0, 0, 0, 0, f + (e - 8) mod 2, if f + 5 > 5 then n + 1 else n)
  else n

val () = print (Int.toString (hits (0, 0, 0, 0, 0, 0, 0)) ^ "\n")

(* a value that goes through 48 variables *)
fun shift n =
  let
    val i = ref n
    val found = ref 0
    val r1 = ref 0
    val r2 = ref 0
    val r3 = ref 0
    val r4 = ref 0
    val r5 = ref 0
    val r6 = ref 0
    val r7 = ref 0
    val r8 = ref 0
    val r9 = ref 0
    val r10 = ref 0
    val r11 = ref 0
    val r12 = ref 0
    val r13 = ref 0
    val r14 = ref 0
    val r15 = ref 0
    val r16 = ref 0
    val r17 = ref 0
    val r18 = ref 0
    val r19 = ref 0
    val r20 = ref 0
    val r21 = ref 0
    val r22 = ref 0
    val r23 = ref 0
    val r24 = ref 0
    val r25 = ref 0
    val r26 = ref 0
    val r27 = ref 0
    val r28 = ref 0
    val r29 = ref 0
    val r30 = ref 0
    val r31 = ref 0
    val r32 = ref 0
    val r33 = ref 0
    val r34 = ref 0
    val r35 = ref 0
    val r36 = ref 0
    val r37 = ref 0
    val r38 = ref 0
    val r39 = ref 0
    val r40 = ref 0
    val r41 = ref 0
    val r42 = ref 0
    val r43 = ref 0
    val r44 = ref 0
    val r45 = ref 0
    val r46 = ref 0
    val r47 = ref 0
    val r48 = ref 0
  in
    while !i <> 0 do
      (found := !found + (if !r48 + 1 > 10 then 1 else 0);
       r48 := !r47;
       r47 := !r46;
       r46 := !r45;
       r45 := !r44;
       r44 := !r43;
       r43 := !r42;
       r42 := !r41;
       r41 := !r40;
       r40 := !r39;
       r39 := !r38;
       r38 := !r37;
       r37 := !r36;
       r36 := !r35;
       r35 := !r34;
       r34 := !r33;
       r33 := !r32;
       r32 := !r31;
       r31 := !r30;
       r30 := !r29;
       r29 := !r28;
       r28 := !r27;
       r27 := !r26;
       r26 := !r25;
       r25 := !r24;
       r24 := !r23;
       r23 := !r22;
       r22 := !r21;
       r21 := !r20;
       r20 := !r19;
       r19 := !r18;
       r18 := !r17;
       r17 := !r16;
       r16 := !r15;
       r15 := !r14;
       r14 := !r13;
       r13 := !r12;
       r12 := !r11;
       r11 := !r10;
       r10 := !r9;
       r9 := !r8;
       r8 := !r7;
       r7 := !r6;
       r6 := !r5;
       r5 := !r4;
       r4 := !r3;
       r3 := !r2;
       r2 := !r1;
       r1 := !i;
       i := !i - 1);
    !found
  end

val () = print (Int.toString (shift 100) ^ "\n")
