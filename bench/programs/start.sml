structure Start = struct val () = Main.main () end
