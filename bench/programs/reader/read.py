# D2 in Python: tokens and syntax of a file, the quickest of three, in MB a second.
import ast, io, sys, time, tokenize

text = open(sys.argv[1]).read()


def best(f, name, times):
    spans = []
    for _ in range(times):
        start = time.perf_counter()
        f()
        spans.append(time.perf_counter() - start)
    print("%s-MB-per-s %.2f" % (name, len(text) / 1e6 / min(spans)))


best(lambda: sum(1 for _ in tokenize.generate_tokens(io.StringIO(text).readline)), "lex", 1)
best(lambda: ast.parse(text), "parse", 3)
