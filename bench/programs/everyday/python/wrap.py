import os
import sys
import tempfile

handle, name = tempfile.mkstemp()
column, lines = 0, 1
with open(sys.argv[1]) as source, open(handle, "w") as out:
    for line in source:
        for word in line.split():
            if column == 0:
                column = len(word)
            elif column + 1 + len(word) > 60:
                out.write("\n")
                column = len(word)
                lines += 1
            else:
                out.write(" ")
                column += 1 + len(word)
            out.write(word)
    out.write("\n")
print(f"{lines} lines, {os.path.getsize(name)} characters, the last line has {column}")
os.remove(name)
