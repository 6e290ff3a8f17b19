(* PPDescFn: layouts as values, printed any number of times. *)

functor PPDescFn (S : PP_STREAM) : PP_DESC =
struct
  structure PPS = S

  (* A layout is what it does to a stream. *)
  type pp_desc = S.stream -> unit

  fun all descs s = List.app (fn desc => desc s) descs
  fun boxed start descs s = (start s; all descs s; S.closeBox s)

  fun hBox descs = boxed S.openHBox descs
  fun vBox (indent, descs) = boxed (fn s => S.openVBox s indent) descs
  fun hvBox (indent, descs) = boxed (fn s => S.openHVBox s indent) descs
  fun hovBox (indent, descs) = boxed (fn s => S.openHOVBox s indent) descs
  fun box (indent, descs) = boxed (fn s => S.openBox s indent) descs
  fun token t s = S.token s t
  fun string text s = S.string s text
  fun style (style, descs) s = (S.pushStyle (s, style); all descs s; S.popStyle s)
  fun break b s = S.break s b
  fun space n s = S.space s n
  fun cut s = S.cut s
  fun newline s = S.newline s
  fun nbSpace n s = S.nbSpace s n
  fun control f s = S.control s f

  fun description (s, desc) = desc s
end
