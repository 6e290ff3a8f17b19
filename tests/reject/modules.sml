signature STACK = sig type 'a t val empty : 'a t val push : 'a * 'a t -> 'a t val size : 'a t -> int end
structure Stack : STACK = struct type 'a t = 'a list val empty = [] fun push (x, s) = s @ x fun depth s = length s end
val n = Stack.pop Stack.empty
val r = if 1.0 = 2.0 then 1 else 2
