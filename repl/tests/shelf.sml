structure Shelf = struct val atom = Atom.atom "a" end
