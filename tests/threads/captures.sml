(* Frames of many sizes are captured and thrown to: the stubs copy four words a round, one frame or several, up to a limit and
   beyond it. Each throw comes back to the same live values; coroutines go on in functions and in loops. *)

structure C = SMLofNJ.Cont

fun check (name, ok) = if ok then () else print (name ^ " went wrong\n")

datatype again = Again of again C.cont * int

(* gives 3: the continuation has come back three times *)
fun thrice () =
  case C.callcc (fn k => Again (k, 0)) of
    Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n

fun wide0 x =
  let
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n
  end

fun wide1 x =
  let
    val a0 = x * 1 + 0
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0
  end

fun wide2 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1
  end

fun wide3 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2
  end

fun wide4 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3
  end

fun wide5 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4
  end

fun wide8 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7
  end

fun wide13 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val a8 = x * 9 + 1
    val a9 = x * 10 + 2
    val a10 = x * 11 + 3
    val a11 = x * 12 + 4
    val a12 = x * 13 + 5
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12
  end

fun wide20 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val a8 = x * 9 + 1
    val a9 = x * 10 + 2
    val a10 = x * 11 + 3
    val a11 = x * 12 + 4
    val a12 = x * 13 + 5
    val a13 = x * 14 + 6
    val a14 = x * 15 + 0
    val a15 = x * 16 + 1
    val a16 = x * 17 + 2
    val a17 = x * 18 + 3
    val a18 = x * 19 + 4
    val a19 = x * 20 + 5
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19
  end

fun wide30 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val a8 = x * 9 + 1
    val a9 = x * 10 + 2
    val a10 = x * 11 + 3
    val a11 = x * 12 + 4
    val a12 = x * 13 + 5
    val a13 = x * 14 + 6
    val a14 = x * 15 + 0
    val a15 = x * 16 + 1
    val a16 = x * 17 + 2
    val a17 = x * 18 + 3
    val a18 = x * 19 + 4
    val a19 = x * 20 + 5
    val a20 = x * 21 + 6
    val a21 = x * 22 + 0
    val a22 = x * 23 + 1
    val a23 = x * 24 + 2
    val a24 = x * 25 + 3
    val a25 = x * 26 + 4
    val a26 = x * 27 + 5
    val a27 = x * 28 + 6
    val a28 = x * 29 + 0
    val a29 = x * 30 + 1
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29
  end

fun wide31 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val a8 = x * 9 + 1
    val a9 = x * 10 + 2
    val a10 = x * 11 + 3
    val a11 = x * 12 + 4
    val a12 = x * 13 + 5
    val a13 = x * 14 + 6
    val a14 = x * 15 + 0
    val a15 = x * 16 + 1
    val a16 = x * 17 + 2
    val a17 = x * 18 + 3
    val a18 = x * 19 + 4
    val a19 = x * 20 + 5
    val a20 = x * 21 + 6
    val a21 = x * 22 + 0
    val a22 = x * 23 + 1
    val a23 = x * 24 + 2
    val a24 = x * 25 + 3
    val a25 = x * 26 + 4
    val a26 = x * 27 + 5
    val a27 = x * 28 + 6
    val a28 = x * 29 + 0
    val a29 = x * 30 + 1
    val a30 = x * 31 + 2
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30
  end

fun wide45 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val a8 = x * 9 + 1
    val a9 = x * 10 + 2
    val a10 = x * 11 + 3
    val a11 = x * 12 + 4
    val a12 = x * 13 + 5
    val a13 = x * 14 + 6
    val a14 = x * 15 + 0
    val a15 = x * 16 + 1
    val a16 = x * 17 + 2
    val a17 = x * 18 + 3
    val a18 = x * 19 + 4
    val a19 = x * 20 + 5
    val a20 = x * 21 + 6
    val a21 = x * 22 + 0
    val a22 = x * 23 + 1
    val a23 = x * 24 + 2
    val a24 = x * 25 + 3
    val a25 = x * 26 + 4
    val a26 = x * 27 + 5
    val a27 = x * 28 + 6
    val a28 = x * 29 + 0
    val a29 = x * 30 + 1
    val a30 = x * 31 + 2
    val a31 = x * 32 + 3
    val a32 = x * 33 + 4
    val a33 = x * 34 + 5
    val a34 = x * 35 + 6
    val a35 = x * 36 + 0
    val a36 = x * 37 + 1
    val a37 = x * 38 + 2
    val a38 = x * 39 + 3
    val a39 = x * 40 + 4
    val a40 = x * 41 + 5
    val a41 = x * 42 + 6
    val a42 = x * 43 + 0
    val a43 = x * 44 + 1
    val a44 = x * 45 + 2
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30 + a31 + a32 + a33 + a34 + a35 + a36 + a37 + a38 + a39 + a40 + a41 + a42 + a43 + a44
  end

fun wide60 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val a8 = x * 9 + 1
    val a9 = x * 10 + 2
    val a10 = x * 11 + 3
    val a11 = x * 12 + 4
    val a12 = x * 13 + 5
    val a13 = x * 14 + 6
    val a14 = x * 15 + 0
    val a15 = x * 16 + 1
    val a16 = x * 17 + 2
    val a17 = x * 18 + 3
    val a18 = x * 19 + 4
    val a19 = x * 20 + 5
    val a20 = x * 21 + 6
    val a21 = x * 22 + 0
    val a22 = x * 23 + 1
    val a23 = x * 24 + 2
    val a24 = x * 25 + 3
    val a25 = x * 26 + 4
    val a26 = x * 27 + 5
    val a27 = x * 28 + 6
    val a28 = x * 29 + 0
    val a29 = x * 30 + 1
    val a30 = x * 31 + 2
    val a31 = x * 32 + 3
    val a32 = x * 33 + 4
    val a33 = x * 34 + 5
    val a34 = x * 35 + 6
    val a35 = x * 36 + 0
    val a36 = x * 37 + 1
    val a37 = x * 38 + 2
    val a38 = x * 39 + 3
    val a39 = x * 40 + 4
    val a40 = x * 41 + 5
    val a41 = x * 42 + 6
    val a42 = x * 43 + 0
    val a43 = x * 44 + 1
    val a44 = x * 45 + 2
    val a45 = x * 46 + 3
    val a46 = x * 47 + 4
    val a47 = x * 48 + 5
    val a48 = x * 49 + 6
    val a49 = x * 50 + 0
    val a50 = x * 51 + 1
    val a51 = x * 52 + 2
    val a52 = x * 53 + 3
    val a53 = x * 54 + 4
    val a54 = x * 55 + 5
    val a55 = x * 56 + 6
    val a56 = x * 57 + 0
    val a57 = x * 58 + 1
    val a58 = x * 59 + 2
    val a59 = x * 60 + 3
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30 + a31 + a32 + a33 + a34 + a35 + a36 + a37 + a38 + a39 + a40 + a41 + a42 + a43 + a44 + a45 + a46 + a47 + a48 + a49 + a50 + a51 + a52 + a53 + a54 + a55 + a56 + a57 + a58 + a59
  end

fun wide130 x =
  let
    val a0 = x * 1 + 0
    val a1 = x * 2 + 1
    val a2 = x * 3 + 2
    val a3 = x * 4 + 3
    val a4 = x * 5 + 4
    val a5 = x * 6 + 5
    val a6 = x * 7 + 6
    val a7 = x * 8 + 0
    val a8 = x * 9 + 1
    val a9 = x * 10 + 2
    val a10 = x * 11 + 3
    val a11 = x * 12 + 4
    val a12 = x * 13 + 5
    val a13 = x * 14 + 6
    val a14 = x * 15 + 0
    val a15 = x * 16 + 1
    val a16 = x * 17 + 2
    val a17 = x * 18 + 3
    val a18 = x * 19 + 4
    val a19 = x * 20 + 5
    val a20 = x * 21 + 6
    val a21 = x * 22 + 0
    val a22 = x * 23 + 1
    val a23 = x * 24 + 2
    val a24 = x * 25 + 3
    val a25 = x * 26 + 4
    val a26 = x * 27 + 5
    val a27 = x * 28 + 6
    val a28 = x * 29 + 0
    val a29 = x * 30 + 1
    val a30 = x * 31 + 2
    val a31 = x * 32 + 3
    val a32 = x * 33 + 4
    val a33 = x * 34 + 5
    val a34 = x * 35 + 6
    val a35 = x * 36 + 0
    val a36 = x * 37 + 1
    val a37 = x * 38 + 2
    val a38 = x * 39 + 3
    val a39 = x * 40 + 4
    val a40 = x * 41 + 5
    val a41 = x * 42 + 6
    val a42 = x * 43 + 0
    val a43 = x * 44 + 1
    val a44 = x * 45 + 2
    val a45 = x * 46 + 3
    val a46 = x * 47 + 4
    val a47 = x * 48 + 5
    val a48 = x * 49 + 6
    val a49 = x * 50 + 0
    val a50 = x * 51 + 1
    val a51 = x * 52 + 2
    val a52 = x * 53 + 3
    val a53 = x * 54 + 4
    val a54 = x * 55 + 5
    val a55 = x * 56 + 6
    val a56 = x * 57 + 0
    val a57 = x * 58 + 1
    val a58 = x * 59 + 2
    val a59 = x * 60 + 3
    val a60 = x * 61 + 4
    val a61 = x * 62 + 5
    val a62 = x * 63 + 6
    val a63 = x * 64 + 0
    val a64 = x * 65 + 1
    val a65 = x * 66 + 2
    val a66 = x * 67 + 3
    val a67 = x * 68 + 4
    val a68 = x * 69 + 5
    val a69 = x * 70 + 6
    val a70 = x * 71 + 0
    val a71 = x * 72 + 1
    val a72 = x * 73 + 2
    val a73 = x * 74 + 3
    val a74 = x * 75 + 4
    val a75 = x * 76 + 5
    val a76 = x * 77 + 6
    val a77 = x * 78 + 0
    val a78 = x * 79 + 1
    val a79 = x * 80 + 2
    val a80 = x * 81 + 3
    val a81 = x * 82 + 4
    val a82 = x * 83 + 5
    val a83 = x * 84 + 6
    val a84 = x * 85 + 0
    val a85 = x * 86 + 1
    val a86 = x * 87 + 2
    val a87 = x * 88 + 3
    val a88 = x * 89 + 4
    val a89 = x * 90 + 5
    val a90 = x * 91 + 6
    val a91 = x * 92 + 0
    val a92 = x * 93 + 1
    val a93 = x * 94 + 2
    val a94 = x * 95 + 3
    val a95 = x * 96 + 4
    val a96 = x * 97 + 5
    val a97 = x * 98 + 6
    val a98 = x * 99 + 0
    val a99 = x * 100 + 1
    val a100 = x * 101 + 2
    val a101 = x * 102 + 3
    val a102 = x * 103 + 4
    val a103 = x * 104 + 5
    val a104 = x * 105 + 6
    val a105 = x * 106 + 0
    val a106 = x * 107 + 1
    val a107 = x * 108 + 2
    val a108 = x * 109 + 3
    val a109 = x * 110 + 4
    val a110 = x * 111 + 5
    val a111 = x * 112 + 6
    val a112 = x * 113 + 0
    val a113 = x * 114 + 1
    val a114 = x * 115 + 2
    val a115 = x * 116 + 3
    val a116 = x * 117 + 4
    val a117 = x * 118 + 5
    val a118 = x * 119 + 6
    val a119 = x * 120 + 0
    val a120 = x * 121 + 1
    val a121 = x * 122 + 2
    val a122 = x * 123 + 3
    val a123 = x * 124 + 4
    val a124 = x * 125 + 5
    val a125 = x * 126 + 6
    val a126 = x * 127 + 0
    val a127 = x * 128 + 1
    val a128 = x * 129 + 2
    val a129 = x * 130 + 3
    val n = case C.callcc (fn k => Again (k, 0)) of Again (k, n) => if n < 3 then C.throw k (Again (k, n + 1)) else n
  in
    n + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11 + a12 + a13 + a14 + a15 + a16 + a17 + a18 + a19 + a20 + a21 + a22 + a23 + a24 + a25 + a26 + a27 + a28 + a29 + a30 + a31 + a32 + a33 + a34 + a35 + a36 + a37 + a38 + a39 + a40 + a41 + a42 + a43 + a44 + a45 + a46 + a47 + a48 + a49 + a50 + a51 + a52 + a53 + a54 + a55 + a56 + a57 + a58 + a59 + a60 + a61 + a62 + a63 + a64 + a65 + a66 + a67 + a68 + a69 + a70 + a71 + a72 + a73 + a74 + a75 + a76 + a77 + a78 + a79 + a80 + a81 + a82 + a83 + a84 + a85 + a86 + a87 + a88 + a89 + a90 + a91 + a92 + a93 + a94 + a95 + a96 + a97 + a98 + a99 + a100 + a101 + a102 + a103 + a104 + a105 + a106 + a107 + a108 + a109 + a110 + a111 + a112 + a113 + a114 + a115 + a116 + a117 + a118 + a119 + a120 + a121 + a122 + a123 + a124 + a125 + a126 + a127 + a128 + a129
  end

fun repeat (0, _) = ()
  | repeat (n, f) = (f n; repeat (n - 1, f))

val () = repeat (50, fn x =>
  (check ("thrice", thrice () = 3);
   check ("wide0", wide0 x = 3 + 0 * x + 0);
   check ("wide1", wide1 x = 3 + 1 * x + 0);
   check ("wide2", wide2 x = 3 + 3 * x + 1);
   check ("wide3", wide3 x = 3 + 6 * x + 3);
   check ("wide4", wide4 x = 3 + 10 * x + 6);
   check ("wide5", wide5 x = 3 + 15 * x + 10);
   check ("wide8", wide8 x = 3 + 36 * x + 21);
   check ("wide13", wide13 x = 3 + 91 * x + 36);
   check ("wide20", wide20 x = 3 + 210 * x + 57);
   check ("wide30", wide30 x = 3 + 465 * x + 85);
   check ("wide31", wide31 x = 3 + 496 * x + 87);
   check ("wide45", wide45 x = 3 + 1035 * x + 129);
   check ("wide60", wide60 x = 3 + 1830 * x + 174);
   check ("wide130", wide130 x = 3 + 8515 * x + 384)))

(* under a recursion, so that pieces lie below *)
fun under (0, f) = f ()
  | under (n, f) = let val r = under (n - 1, f) in r + 1 end

val () = repeat (20, fn x => check ("under " ^ Int.toString x, under (x * 7, fn () => wide20 x + thrice ()) = x * 7 + 3 + 3 + 210 * x + 57))

(* two coroutines, each adding to a sum in its own way *)
val other : unit C.cont option ref = ref NONE
fun swap () = C.callcc (fn k => case !other of SOME o' => (other := SOME k; C.throw o' ()) | NONE => ())
val told : int list ref = ref []
val () =
  let
    fun second n = (told := 2 * n :: !told; swap (); second (n + 1))
    fun first n = if n = 10 then () else (told := 2 * n + 1 :: !told; swap (); first (n + 1))
  in
    C.callcc (fn back => (C.callcc (fn k => (other := SOME k; C.throw back ())); second 0));
    first 0;
    print (String.concatWith " " (map Int.toString (rev (!told))) ^ "\n")
  end

(* MLton's threads: prepared as they are, and behind functions *)
structure T = MLton.Thread
val () =
  let
    val log : string list ref = ref []
    fun say s = log := s :: !log
    val home : unit T.t option ref = ref NONE
    val guest : int T.t option ref = ref NONE
    fun goHome () = T.prepare (valOf (!home), ())
    fun loop n =
      let val m = T.switch (fn t => (guest := SOME t; goHome ()))
      in say (Int.toString (n + m)); loop (n + m) end
    fun visit f = T.switch (fn t => (home := SOME t; f (valOf (!guest))))
    val () = guest := SOME (T.new loop)
    val () = visit (fn g => T.prepare (g, 1))
    val () = visit (fn g => T.prepare (g, 10))
    val () = visit (fn g => T.prepare (T.prepend (g, fn s => valOf (Int.fromString s)), "100"))
    val () = visit (fn g => T.prepare (T.prepend (T.prepend (g, size), fn n => CharVector.tabulate (n, fn _ => #"x")), 1000))
    val used = valOf (!guest)
    val () = visit (fn g => T.prepare (g, 1))
    val () = (ignore (T.prepare (used, 1)); say "twice") handle Fail _ => say "once"
    val () = T.switch (fn t => (say "to itself"; T.prepare (t, ())))
  in
    print (String.concatWith " " (rev (!log)) ^ "\n")
  end

(* Captures in a function that returns each time, and in a loop, more often than a small stack is copied whole between two
   cuts; two of the latter in turn. *)
val steps = ref 0
val last : unit C.cont option ref = ref NONE
fun step n = (C.callcc (fn k => (last := SOME k; if n mod 3 = 0 then C.throw k () else ())); steps := !steps + n; n mod 2)
fun steps' 0 = 0
  | steps' n = let val m = step n in m + steps' (n - 1) end
fun rounds (0, sum) = sum
  | rounds (n, sum) = let val m = step n in rounds (n - 1, sum + m) end
val () = check ("captures of a function that returns", rounds (1000, 0) = 500 andalso steps' 600 = 300 andalso !steps = 680800)

val other : unit C.cont option ref = ref NONE
val swaps = ref 0
fun swap () =
  C.callcc (fn k => case !other of SOME next => (other := SOME k; C.throw next ()) | NONE => ())
fun turns (0, sum) = sum
  | turns (n, sum) = (swap (); swaps := !swaps + 1; turns (n - 1, sum + n))
fun inTurn n =
  let
    val () = C.callcc (fn back => (C.callcc (fn k => (other := SOME k; C.throw back ())); ignore (turns (1000000, 0))))
    val sum = turns (n, 0)
  in
    other := NONE;
    sum
  end
val () = check ("two loops in turn", List.tabulate (4, fn n => inTurn (200 * n)) = [0, 20100, 80200, 180300])
val () = check ("turns of both", !swaps > 2 * 1200 - 8)
val () = print "captures end\n"
