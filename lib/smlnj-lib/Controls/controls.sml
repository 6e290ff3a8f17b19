(* Controls: settings of a program, each a cell with a name, a help text and a way to be set by text: from command lines
   (GetOpt), from the environment. Sets of them, and registries: trees of sets. *)

signature CONTROLS =
sig
  type priority = int list
  (* Orders what is listed; lexicographic. *)
  type 'a control
  type 'a value_cvt = {tyName : string, fromString : string -> 'a option, toString : 'a -> string}

  val control :
    {name : string, pri : priority, obscurity : int, help : string, ctl : 'a ref} -> 'a control
  (* Obscurity: how special it is. *)
  val genControl :
    {name : string, pri : priority, obscurity : int, help : string, default : 'a} -> 'a control
  (* With a cell of its own. *)

  exception ValueSyntax of {tyName : string, ctlName : string, value : string}
  (* A text that is no value. *)

  val stringControl : 'a value_cvt -> 'a control -> string control
  (* The same control, by text: to set it raises ValueSyntax for a text that is no value. *)
  val name : 'a control -> string
  (* The name that it was made with. *)
  val get : 'a control -> 'a
  (* The value of now. *)
  val set : 'a control * 'a -> unit
  (* Gives it the value. A control by text raises ValueSyntax for one that is no value. *)
  val set' : 'a control * 'a -> unit -> unit
  (* Checks the value now and sets it later. *)
  val help : 'a control -> string
  (* What it is for, in words. *)
  val info : 'a control -> {priority : priority, obscurity : int, help : string}
  (* Where it stands in lists, how special it is, and what it is for. *)

  (* As options of command lines *)

  val mkOptionFlag :
    {ctl : bool control, short : string, long : string option} -> unit GetOpt.opt_descr
  (* The option makes it what it is not now. *)
  val mkOptionReqArg :
    {ctl : string control, arg : string, short : string, long : string option}
    -> unit GetOpt.opt_descr
  (* The option takes an argument, `arg` in the usage, and sets the control to it; ValueSyntax is raised while the
     command line is read. *)
  val mkOption :
    {ctl : string control, arg : string, default : string, short : string, long : string option}
    -> unit GetOpt.opt_descr
  (* Likewise; without an argument the control is set to the default. *)

  val save'restore : 'a control -> unit -> unit
  (* A function that gives it the value of now again. *)
  val compare : 'a control * 'a control -> order
  (* By priority. *)
end

structure Controls :> CONTROLS =
struct
  type priority = int list
  type 'a value_cvt = {tyName : string, fromString : string -> 'a option, toString : 'a -> string}

  (* assign checks a value and gives what sets it. *)
  datatype 'a control =
    Control of
        {name : string,
         pri : priority,
         obscurity : int,
         help : string,
         get : unit -> 'a,
         assign : 'a -> unit -> unit,
         save : unit -> unit -> unit}

  exception ValueSyntax of {tyName : string, ctlName : string, value : string}

  fun control {name, pri, obscurity, help, ctl} =
    Control {name = name,
             pri = pri,
             obscurity = obscurity,
             help = help,
             get = fn () => !ctl,
             assign = fn v => fn () => ctl := v,
             save = fn () => let val v = !ctl in fn () => ctl := v end}
  fun genControl {name, pri, obscurity, help, default} =
    control {name = name, pri = pri, obscurity = obscurity, help = help, ctl = ref default}

  fun stringControl {tyName, fromString, toString}
    (Control {name, pri, obscurity, help, get, assign, save}) =
    Control {name = name,
             pri = pri,
             obscurity = obscurity,
             help = help,
             get = toString o get,
             save = save,
             assign =
               fn s =>
                 case fromString s of
                   SOME v => assign v
                 | NONE => raise ValueSyntax {tyName = tyName, ctlName = name, value = s}}

  fun name (Control {name, ...}) = name
  fun get (Control {get, ...}) = get ()
  fun set' (Control {assign, ...}, v) = assign v
  fun set (c, v) = set' (c, v) ()
  fun help (Control {help, ...}) = help
  fun info (Control {pri, obscurity, help, ...}) =
    {priority = pri, obscurity = obscurity, help = help}
  fun save'restore (Control {save, ...}) = save ()
  fun compare (Control {pri = p, ...}, Control {pri = q, ...}) = List.collate Int.compare (p, q)

  fun option (c, short, long, desc) =
    {short = short, long = case long of SOME s => [s] | NONE => [], desc = desc, help = help c}
  fun mkOptionFlag {ctl, short, long} =
    option (ctl, short, long, GetOpt.NoArg (set' (ctl, not (get ctl))))
  fun mkOptionReqArg {ctl, arg, short, long} =
    option (ctl, short, long, GetOpt.ReqArg (fn s => set (ctl, s), arg))
  fun mkOption {ctl, arg, default, short, long} =
    option (ctl, short, long, GetOpt.OptArg (fn s => set (ctl, getOpt (s, default)), arg))
end

signature CONTROL_SET =
sig
  type 'a control = 'a Controls.control
  type ('a, 'b) control_set
  (* Controls by name, each with something of type 'b. *)

  val new : unit -> ('a, 'b) control_set
  (* A set without controls. *)
  val member : ('a, 'b) control_set * Atom.atom -> bool
  (* Whether a control of this name is there. *)
  val find : ('a, 'b) control_set * Atom.atom -> {ctl : 'a control, info : 'b} option
  (* The control of this name, and what was inserted with it. *)
  val insert : ('a, 'b) control_set * 'a control * 'b -> unit
  (* Adds the control, instead of an older one of its name. *)
  val remove : ('a, 'b) control_set * Atom.atom -> unit
  (* Takes out the control of this name, if it is there. *)
  val infoOf : ('a, 'b) control_set -> 'a control -> 'b option
  (* What was inserted with the control, or with another one of its name. *)
  val listControls : ('a, 'b) control_set -> {ctl : 'a control, info : 'b} list
  (* All of them, by priority. *)
  val listControls' : ('a, 'b) control_set * int -> {ctl : 'a control, info : 'b} list
  (* Those of less obscurity than the number, by priority. *)
  val app : ({ctl : 'a control, info : 'b} -> unit) -> ('a, 'b) control_set -> unit
  (* The function for each of them, in no order. *)
  val stringControls : 'a Controls.value_cvt -> ('a, 'b) control_set -> (string, 'b) control_set
  (* A new set of the same controls, by text: Controls.stringControl of each. *)
end

structure ControlSet :> CONTROL_SET =
struct
  type 'a control = 'a Controls.control
  type ('a, 'b) control_set = {ctl : 'a control, info : 'b} AtomTable.hash_table

  exception Missing

  fun new () = AtomTable.mkTable (16, Missing)
  fun keyOf ctl = Atom.atom (Controls.name ctl)
  fun member (set, name) = AtomTable.inDomain set name
  fun find (set, name) = AtomTable.find set name
  fun insert (set, ctl, info) = AtomTable.insert set (keyOf ctl, {ctl = ctl, info = info})
  fun remove (set, name) = ignore (AtomTable.findAndRemove set name)
  fun infoOf (set : ('a, 'b) control_set) ctl =
    Option.map (fn {info, ...} => info) (find (set, keyOf ctl))

  fun byPriority l =
    ListMergeSort.sort
      (fn ({ctl = a, info = _ : 'b}, {ctl = b, info = _ : 'b}) => Controls.compare (a, b) = GREATER)
      l
  fun listControls set = byPriority (AtomTable.listItems set)
  fun listControls' (set, obscurity) =
    List.filter (fn {ctl, ...} => #obscurity (Controls.info ctl) < obscurity) (listControls set)
  fun app f set = AtomTable.app f set
  fun stringControls cvt set =
    AtomTable.map (fn {ctl, info} => {ctl = Controls.stringControl cvt ctl, info = info}) set
end

signature CONTROL_REGISTRY =
sig
  type registry
  type control_info = {envName : string option}
  (* The variable of the environment that sets it. *)

  val new : {help : string} -> registry
  (* A registry without controls; help says what it is for. *)
  val register : registry -> {ctl : string Controls.control, envName : string option} -> unit
  (* Adds a control, instead of an older one of its name, and the variable of the environment that sets it. *)
  val registerSet :
    registry
    -> {ctls : (string, 'a) ControlSet.control_set, mkEnvName : string -> string option}
    -> unit
  (* Adds those that are in the set now; the function makes the variable's name of the control's. *)
  val nest :
    registry
    -> {prefix : string option, pri : Controls.priority, obscurity : int, reg : registry}
    -> unit
  (* A registry below; without a prefix its controls are found as if they were here. *)
  val control : registry -> string list -> string Controls.control option
  (* By prefixes and name. *)
  val init : registry -> unit
  (* Sets all controls whose variables are there. *)

  datatype registry_tree =
    RTree of
        {path : string list,
         help : string,
         ctls : {ctl : string Controls.control, info : control_info} list,
         subregs : registry_tree list}

  val controls : registry * int option -> registry_tree
  (* All, or those of less obscurity, by priority. *)
end

structure ControlRegistry :> CONTROL_REGISTRY =
struct
  type control_info = {envName : string option}

  datatype registry =
    Registry of
        {help : string, own : (string, control_info) ControlSet.control_set, below : below list ref}
  withtype below =
    {prefix : string option, pri : Controls.priority, obscurity : int, reg : registry}

  fun new {help} = Registry {help = help, own = ControlSet.new (), below = ref []}
  fun register (Registry {own, ...}) {ctl, envName} =
    ControlSet.insert (own, ctl, {envName = envName})
  fun registerSet reg {ctls, mkEnvName} =
    ControlSet.app
      (fn {ctl, ...} => register reg {ctl = ctl, envName = mkEnvName (Controls.name ctl)})
      ctls
  fun nest (Registry {below, ...}) sub = below := sub :: !below

  fun firstOf f [] = NONE
    | firstOf f (x :: rest) = (case f x of NONE => firstOf f rest | found => found)

  fun control (Registry {own, below, ...}) path =
    let
      val here =
        case path of
          [name] => Option.map (fn {ctl, ...} => ctl) (ControlSet.find (own, Atom.atom name))
        | _ => NONE
      fun inside ({prefix, reg, ...} : below) =
        case (prefix, path) of
          (NONE, _) => control reg path
        | (SOME p, q :: rest) => if p = q then control reg rest else NONE
        | (SOME _, []) => NONE
    in
      case here of NONE => firstOf inside (!below) | found => found
    end

  fun init (Registry {own, below, ...}) =
    (ControlSet.app
       (fn {ctl, info = {envName}} =>
         case Option.mapPartial OS.Process.getEnv envName of
           SOME value => Controls.set (ctl, value)
         | NONE => ())
       own;
     List.app (fn {reg, ...} : below => init reg) (!below))

  datatype registry_tree =
    RTree of
        {path : string list,
         help : string,
         ctls : {ctl : string Controls.control, info : control_info} list,
         subregs : registry_tree list}

  fun controls (reg, limit) =
    let
      fun shown ({obscurity, ...} : below) = case limit of SOME n => obscurity < n | NONE => true
      fun later ({pri = p, ...} : below, {pri = q, ...} : below) =
        List.collate Int.compare (p, q) = GREATER
      (* The path is reversed. *)
      fun tree (path, Registry {help, own, below}) =
        RTree {path = rev path,
               help = help,
               ctls =
                 case limit of
                   SOME n => ControlSet.listControls' (own, n)
                 | NONE => ControlSet.listControls own,
               subregs =
                 List.map (sub path) (ListMergeSort.sort later (List.filter shown (!below)))}
      and sub path ({prefix, reg, ...} : below) =
        tree (case prefix of SOME p => p :: path | NONE => path, reg)
    in
      tree ([], reg)
    end
end

signature CONTROL_UTIL =
sig
  structure Cvt :
  sig
    val int : int Controls.value_cvt
    (* Decimal, as Int.toString writes it and Int.fromString reads it. *)
    val bool : bool Controls.value_cvt
    (* Written true and false; read in any case, also yes and no. *)
    val real : real Controls.value_cvt
    (* As Real.toString writes it and Real.fromString reads it. *)
    val stringList : string list Controls.value_cvt
    (* The words, with commas between; so a word has none in it. *)
    val string : string Controls.value_cvt
    (* The text itself. *)
  end

  structure EnvName :
  sig
    val toUpper : string -> string -> string
    (* The prefix, and the name with capitals and underscores. *)
  end
end

structure ControlUtil : CONTROL_UTIL =
struct
  structure Cvt =
  struct
    val int = {tyName = "int", fromString = Int.fromString, toString = Int.toString}
    fun truth s =
      case CharVector.map Char.toLower s of
        "true" => SOME true
      | "yes" => SOME true
      | "false" => SOME false
      | "no" => SOME false
      | _ => NONE
    val bool = {tyName = "bool", fromString = truth, toString = Bool.toString}
    val real = {tyName = "real", fromString = Real.fromString, toString = Real.toString}
    val stringList =
      {tyName = "string list",
       fromString = SOME o String.fields (fn c => c = #","),
       toString = String.concatWith ","}
    val string = {tyName = "string", fromString = SOME, toString = fn s : string => s}
  end

  structure EnvName =
  struct
    fun toUpper prefix name = prefix ^ CharVector.map (fn #"-" => #"_" | c => Char.toUpper c) name
  end
end
