(* Hash2TableFn: tables with two keys for each item. Two tables: from each key to the other key and the item. *)

functor Hash2TableFn (structure Key1 : HASH_KEY structure Key2 : HASH_KEY) : MONO_HASH2_TABLE =
struct
  structure Key1 = Key1
  structure Key2 = Key2
  structure R = HashRep'

  datatype 'a hash_table =
    Table of
        {missing : exn,
         by1 : (Key1.hash_key, Key2.hash_key * 'a) R.rep,
         by2 : (Key2.hash_key, Key1.hash_key * 'a) R.rep}

  fun hashed1 k = (Key1.hashVal k, k)
  fun hashed2 k = (Key2.hashVal k, k)

  fun mkTable (n, missing) = Table {missing = missing, by1 = R.new n, by2 = R.new n}
  fun clear (Table {by1, by2, ...}) = (R.clear by1; R.clear by2)

  fun take1 (Table {by1, by2, ...}, k1) =
    case R.remove Key1.sameKey by1 (hashed1 k1) of
      SOME (k2, v) => (ignore (R.remove Key2.sameKey by2 (hashed2 k2)); SOME v)
    | NONE => NONE
  fun take2 (Table {by1, by2, ...}, k2) =
    case R.remove Key2.sameKey by2 (hashed2 k2) of
      SOME (k1, v) => (ignore (R.remove Key1.sameKey by1 (hashed1 k1)); SOME v)
    | NONE => NONE

  fun put (by1, by2, k1, k2, v) =
    (R.insert (Key1.hashVal, Key1.sameKey) by1 (k1, (k2, v));
     R.insert (Key2.hashVal, Key2.sameKey) by2 (k2, (k1, v)))

  fun insert (t as Table {by1, by2, ...}) (k1, k2, v) =
    (ignore (take1 (t, k1)); ignore (take2 (t, k2)); put (by1, by2, k1, k2, v))

  fun inDomain1 (Table {by1, ...}) k = R.member Key1.sameKey by1 (hashed1 k)
  fun inDomain2 (Table {by2, ...}) k = R.member Key2.sameKey by2 (hashed2 k)
  fun find1 (Table {by1, ...}) k = Option.map #2 (R.find Key1.sameKey by1 (hashed1 k))
  fun find2 (Table {by2, ...}) k = Option.map #2 (R.find Key2.sameKey by2 (hashed2 k))

  fun or (_, SOME v) = v
    | or (Table {missing, ...}, NONE) = raise missing
  fun lookup1 t k = or (t, find1 t k)
  fun lookup2 t k = or (t, find2 t k)
  fun remove1 t k = or (t, take1 (t, k))
  fun remove2 t k = or (t, take2 (t, k))

  fun numItems (Table {by1, ...}) = R.count by1
  fun foldi f init (Table {by1, ...}) = R.fold (fn (k1, (k2, v), x) => f (k1, k2, v, x)) init by1
  fun fold f = foldi (fn (_, _, v, x) => f (v, x))
  fun listItems (Table {by1, ...}) = R.list (fn (_, (_, v)) => v) by1
  fun listItemsi (Table {by1, ...}) = R.list (fn (k1, (k2, v)) => (k1, k2, v)) by1
  fun appi f = foldi (fn (k1, k2, v, ()) => f (k1, k2, v)) ()
  fun app f = appi (fn (_, _, v) => f v)

  fun mapi f (t as Table {missing, by1, ...}) =
    let
      val n = R.count by1
      val new1 = R.new n
      val new2 = R.new n
    in
      appi (fn (k1, k2, v) => put (new1, new2, k1, k2, f (k1, k2, v))) t;
      Table {missing = missing, by1 = new1, by2 = new2}
    end
  fun map f = mapi (fn (_, _, v) => f v)

  (* Nothing goes before f has been called for all: where it raises, both tables are as they were. *)
  fun filteri f (t as Table {by1, ...}) =
    let
      val gone =
        R.fold (fn (k1, (k2, v), l) => if f (k1, k2, v) then l else k1 :: l) [] by1
    in
      List.app (fn k1 => ignore (take1 (t, k1))) gone
    end
  fun filter f = filteri (fn (_, _, v) => f v)

  fun copy (Table {missing, by1, by2}) =
    Table {missing = missing, by1 = R.copy by1, by2 = R.copy by2}
  fun bucketSizes (Table {by1, by2, ...}) = (R.bucketSizes by1, R.bucketSizes by2)
end
