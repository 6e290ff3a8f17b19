(* JSONUtil: the parts of values, and paths into them. JSONDecode: values to SML's types, put together from functions. *)

structure JSONErrors' =
struct
  exception JSONError of exn * JSON.value
  exception NotNull
  exception NotBool
  exception NotInt
  exception NotNumber
  exception NotString
  exception NotObject
  exception FieldNotFound of string
  exception NotArray
  exception ArrayBounds of int
  exception ElemNotFound

  fun shown v =
    case v of
      JSON.NULL => "'null'"
    | JSON.BOOL b => "'" ^ Bool.toString b ^ "'"
    | JSON.INT _ => "number"
    | JSON.FLOAT _ => "number"
    | JSON.STRING _ => "string"
    | JSON.ARRAY _ => "array"
    | JSON.OBJECT _ => "object"

  fun exnMessage (JSONError (e, v)) =
        (case e of
           Fail s => s
         | NotNull => "expected 'null', but found " ^ shown v
         | NotBool => "expected boolean, but found " ^ shown v
         | NotInt => "expected integer, but found " ^ shown v
         | NotNumber => "expected number, but found " ^ shown v
         | NotString => "expected string, but found " ^ shown v
         | NotObject => "expected object, but found " ^ shown v
         | FieldNotFound key => concat ["no definition for field \"", key, "\" in object"]
         | NotArray => "expected array, but found " ^ shown v
         | ArrayBounds i => concat ["index ", Int.toString i, " out of bounds for array"]
         | ElemNotFound => "no matching element found in " ^ shown v
         | _ => concat [General.exnMessage e, " on ", shown v])
    | exnMessage e = General.exnMessage e

  (* What nobody handles is shown so, too. *)
  val () =
    MLton.Exn.addExnMessager (fn e as JSONError _ => SOME ("JSONError: " ^ exnMessage e)
                               | _ => NONE)
end

structure JSONUtil : sig
  exception JSONError of exn * JSON.value
  (* What is wrong, and with which value: one of the exceptions below, Overflow or Fail. *)
  exception NotBool
  exception NotInt
  exception NotNumber
  exception NotString
  exception NotObject
  exception FieldNotFound of string
  exception NotArray
  exception ArrayBounds of int
  exception ElemNotFound
  val exnMessage : exn -> string
  (* What a JSONError says, in words, with the kind of value that was found; of other exceptions what General.exnMessage
     says. *)

  val asBool : JSON.value -> bool
  (* The boolean. Raises JSONError (NotBool, v). *)
  val asInt : JSON.value -> Int.int
  (* The integer. Raises JSONError with NotInt, or with Overflow for one that no int has. *)
  val asIntInf : JSON.value -> IntInf.int
  (* The integer, whatever its size. Raises JSONError (NotInt, v). *)
  val asNumber : JSON.value -> Real.real
  (* The number, an integer as the nearest real. Raises JSONError (NotNumber, v). *)
  val asString : JSON.value -> string
  (* The text, without its quotes and escapes. Raises JSONError (NotString, v). *)

  val findField : JSON.value -> string -> JSON.value option
  (* The value of the first field of that name, or NONE. Raises JSONError (NotObject, v). *)
  val lookupField : JSON.value -> string -> JSON.value
  (* The value of the first field of that name. Raises JSONError with NotObject or FieldNotFound. *)
  val hasField : string -> JSON.value -> bool
  (* Whether it is an object with such a field; false for what is no object. *)
  val testField : string -> (JSON.value -> bool) -> JSON.value -> bool
  (* Whether it is an object with such a field, whose value satisfies the predicate; false for what is no object. *)
  val asArray : JSON.value -> JSON.value vector
  (* The items of the array. Raises JSONError (NotArray, v). *)
  val arrayMap : (JSON.value -> 'a) -> JSON.value -> 'a list
  (* What the function gives for each item of the array, from the first one on. Raises JSONError (NotArray, v). *)

  datatype edge =
      SEL of string
    | SUB of int
    | FIND of JSON.value -> bool
  (* To a field, to an item of an array, to the first item that satisfies a predicate. *)
  type path = edge list

  val get : JSON.value * path -> JSON.value
  (* The value at the end of the path; [] leads to the value itself. Raises JSONError with NotObject, FieldNotFound,
     NotArray, ArrayBounds or ElemNotFound, and the value where the path breaks off. *)
  val replace : JSON.value * path * JSON.value -> JSON.value
  (* The value with another one at the end of the path. Raises JSONError as `get` does. *)
  val insert : JSON.value * path * string * JSON.value -> JSON.value
  (* The value with one more field, the first one, in the object at the end of the path. Raises JSONError as `get`
     does. *)
  val append : JSON.value * path * JSON.value list -> JSON.value
  (* The value with more items at the end of the array to which the path leads. Raises JSONError as `get` does. *)
end =
struct
  open JSON JSONErrors'

  fun wrong (e, v) = raise JSONError (e, v)

  fun asBool (BOOL b) = b
    | asBool v = wrong (NotBool, v)
  fun asIntInf (INT n) = n
    | asIntInf v = wrong (NotInt, v)
  fun asInt v = Int.fromLarge (asIntInf v) handle Overflow => wrong (Overflow, v)
  fun asNumber (INT n) = Real.fromLargeInt n
    | asNumber (FLOAT r) = r
    | asNumber v = wrong (NotNumber, v)
  fun asString (STRING s) = s
    | asString v = wrong (NotString, v)

  fun findField (OBJECT l) key = Option.map #2 (List.find (fn (k, _) => k = key) l)
    | findField v _ = wrong (NotObject, v)
  fun lookupField v key = case findField v key of SOME x => x | NONE => wrong (FieldNotFound key, v)
  fun testField key f (v as OBJECT _) = (case findField v key of SOME x => f x | NONE => false)
    | testField _ _ _ = false
  fun hasField key = testField key (fn _ => true)

  fun asArray (ARRAY l) = Vector.fromList l
    | asArray v = wrong (NotArray, v)
  fun arrayMap f (ARRAY l) = List.map f l
    | arrayMap _ v = wrong (NotArray, v)

  datatype edge =
      SEL of string
    | SUB of int
    | FIND of value -> bool
  type path = edge list

  (* The value with the one at the end of the path changed. *)
  fun change (v, [], f) = f v
    | change (v as OBJECT l, SEL key :: path, f) =
        let
          fun fields ((k, x) :: rest) =
                if k = key then (k, change (x, path, f)) :: rest else (k, x) :: fields rest
            | fields [] = wrong (FieldNotFound key, v)
        in
          OBJECT (fields l)
        end
    | change (v, SEL _ :: _, _) = wrong (NotObject, v)
    | change (v as ARRAY l, SUB i :: path, f) =
        let
          fun items (0, x :: rest) = change (x, path, f) :: rest
            | items (n, x :: rest) = x :: items (n - 1, rest)
            | items (_, []) = wrong (ArrayBounds i, v)
        in
          if i < 0 then wrong (ArrayBounds i, v) else ARRAY (items (i, l))
        end
    | change (v as ARRAY l, FIND p :: path, f) =
        let
          fun items (x :: rest) = if p x then change (x, path, f) :: rest else x :: items rest
            | items [] = wrong (ElemNotFound, v)
        in
          ARRAY (items l)
        end
    | change (v, _, _) = wrong (NotArray, v)

  fun get (v, path) =
    let
      val found = ref v
    in
      ignore (change (v, path, fn x => (found := x; x)));
      !found
    end
  fun replace (v, path, x) = change (v, path, fn _ => x)
  fun insert (v, path, key, x) =
    change (v, path, fn OBJECT l => OBJECT ((key, x) :: l) | v => wrong (NotObject, v))
  fun append (v, path, xs) =
    change (v, path, fn ARRAY l => ARRAY (l @ xs) | v => wrong (NotArray, v))
end

structure JSONDecode :> sig
  exception JSONError of exn * JSON.value
  exception NotNull
  exception NotBool
  exception NotInt
  exception NotNumber
  exception NotString
  exception NotObject
  exception FieldNotFound of string
  exception NotArray
  exception ArrayBounds of int
  exception ElemNotFound
  (* Those of JSONUtil. *)
  val exnMessage : exn -> string
  (* What a JSONError says, in words: JSONUtil.exnMessage. *)

  type 'a decoder

  val decode : 'a decoder -> JSON.value -> 'a
  (* What the decoder makes of the value. Raises JSONError if it is not what the decoder wants. *)
  val decodeString : 'a decoder -> string -> 'a
  (* Likewise of the text's first value; what follows it is ignored. Raises Fail for a syntax error too. *)
  val decodeFile : 'a decoder -> string -> 'a
  (* Likewise of the file's first value. Raises Fail for a syntax error, IO.Io for the file. *)

  val bool : bool decoder
  (* A boolean. Fails with NotBool. *)
  val int : int decoder
  (* An integer. Fails with NotInt, or with Overflow for one that no int has. *)
  val intInf : IntInf.int decoder
  (* An integer of any size. Fails with NotInt. *)
  val number : Real64.real decoder
  (* A number, an integer as the nearest real. Fails with NotNumber. *)
  val string : string decoder
  (* A string. Fails with NotString. *)
  val null : 'a -> 'a decoder
  (* Gives its argument for null. Fails with NotNull. *)
  val raw : JSON.value decoder
  (* Any value, as it is. *)
  val rawObject : (string * JSON.value) list decoder
  (* The fields of an object, in their order. Fails with NotObject. *)
  val rawArray : JSON.value vector decoder
  (* The items of an array. Fails with NotArray. *)

  val nullable : 'a decoder -> 'a option decoder
  (* NONE for null. *)
  val try : 'a decoder -> 'a option decoder
  (* NONE where the decoder fails. *)
  val seq : 'a decoder -> ('a -> 'b) decoder -> 'b decoder
  (* Both of one value; the second gives a function of the first's result. *)

  val field : string -> 'a decoder -> 'a decoder
  (* A field of an object. Fails with NotObject or FieldNotFound. *)
  val reqField : string -> 'a decoder -> ('a -> 'b) decoder -> 'b decoder
  (* Gives the field's value to the function that the second decoder makes of the same object. Fails as `field` does. *)
  val optField : string -> 'a decoder -> ('a option -> 'b) decoder -> 'b decoder
  (* Likewise with SOME of the field's value, or NONE where there is no such field or it is null. Any other value must
     suit the decoder. *)
  val dfltField : string -> 'a decoder -> 'a -> ('a -> 'b) decoder -> 'b decoder
  (* Likewise with the default where there is no such field or it is null. *)
  val array : 'a decoder -> 'a list decoder
  (* All items of an array, each by the decoder. Fails with NotArray. *)
  val sub : int -> 'a decoder -> 'a decoder
  (* One item of an array. Fails with NotArray or ArrayBounds. *)
  val at : JSONUtil.path -> 'a decoder -> 'a decoder
  (* What is at the end of a path. Fails as JSONUtil.get does. *)

  val succeed : 'a -> 'a decoder
  (* Gives its argument, whatever the value is. *)
  val fail : string -> 'a decoder
  (* Fails for every value, with Fail and that message. *)
  val andThen : ('a -> 'b decoder) -> 'a decoder -> 'b decoder
  (* Decodes the value, and then the same value once more by the decoder that the function makes of the result. *)
  val orElse : 'a decoder * 'a decoder -> 'a decoder
  (* The first decoder, and where that fails the second one. *)
  val choose : 'a decoder list -> 'a decoder
  (* The first of the decoders that does not fail; fails with Fail if there is none. *)
  val map : ('a -> 'b) -> 'a decoder -> 'b decoder
  (* The decoder, and then the function. *)
  val map2 : ('a * 'b -> 'res) -> 'a decoder * 'b decoder -> 'res decoder
  (* Both decoders on the same value, and then the function. *)
  val map3 : ('a * 'b * 'c -> 'res) -> 'a decoder * 'b decoder * 'c decoder -> 'res decoder
  (* Three decoders on the same value, and then the function. *)
  val map4 :
    ('a * 'b * 'c * 'd -> 'res) -> 'a decoder * 'b decoder * 'c decoder * 'd decoder -> 'res decoder
  (* Four decoders on the same value, and then the function. *)
  val tuple2 : 'a decoder * 'b decoder -> ('a * 'b) decoder
  (* Both decoders on the same value, the first one first. *)
  val tuple3 : 'a decoder * 'b decoder * 'c decoder -> ('a * 'b * 'c) decoder
  (* Three decoders on the same value, from left to right. *)
  val tuple4 : 'a decoder * 'b decoder * 'c decoder * 'd decoder -> ('a * 'b * 'c * 'd) decoder
  (* Four decoders on the same value, from left to right. *)
  val delay : (unit -> 'a decoder) -> 'a decoder
  (* For decoders that refer to themselves. *)
end =
struct
  open JSONErrors'

  type 'a decoder = JSON.value -> 'a

  fun wrong (e, v) = raise JSONError (e, v)

  fun decode d v = d v
  fun decodeString d s = d (JSONParser.parse (JSONParser.openString s))
  fun decodeFile d name = d (JSONParser.parseFile name)

  val bool = JSONUtil.asBool
  val int = JSONUtil.asInt
  val intInf = JSONUtil.asIntInf
  val number = JSONUtil.asNumber
  val string = JSONUtil.asString
  fun null x JSON.NULL = x
    | null _ v = wrong (NotNull, v)
  fun raw v = v
  fun rawObject (JSON.OBJECT l) = l
    | rawObject v = wrong (NotObject, v)
  val rawArray = JSONUtil.asArray

  fun nullable _ JSON.NULL = NONE
    | nullable d v = SOME (d v)
  fun try d v = SOME (d v) handle JSONError _ => NONE
  fun seq d k v = let val x = d v in k v x end

  fun field key d v = d (JSONUtil.lookupField v key)
  fun reqField key d = seq (field key d)
  fun present key d v =
    case JSONUtil.findField v key of
      NONE => NONE
    | SOME JSON.NULL => NONE
    | SOME x => SOME (d x)
  fun optField key d = seq (present key d)
  fun dfltField key d default = seq (fn v => getOpt (present key d v, default))
  fun array d = JSONUtil.arrayMap d
  fun sub i d v =
    d (Vector.sub (JSONUtil.asArray v, i) handle Subscript => wrong (ArrayBounds i, v))
  fun at path d v = d (JSONUtil.get (v, path))

  fun succeed x _ = x
  fun fail message v = wrong (Fail message, v)
  fun andThen f d v = f (d v) v
  fun orElse (d, e) v = d v handle JSONError _ => e v
  fun choose ds = List.foldr orElse (fail "no choice") ds
  fun map f d v = f (d v)
  fun tuple2 (a, b) v = let val x = a v in (x, b v) end
  fun tuple3 (a, b, c) v = let val x = a v val y = b v in (x, y, c v) end
  fun tuple4 (a, b, c, d) v = let val x = a v val y = b v val z = c v in (x, y, z, d v) end
  fun map2 f ds = map f (tuple2 ds)
  fun map3 f ds = map f (tuple3 ds)
  fun map4 f ds = map f (tuple4 ds)
  fun delay f v = f () v
end
