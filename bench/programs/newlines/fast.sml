structure Fast = struct val sub = Unsafe.CharVector.sub end
