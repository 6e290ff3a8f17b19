// A table of small trees, random ones of which are replaced all the time: the longest time between two steps.
// Arguments: megabytes of live data, as Leat's objects have them; seconds.
public class Table {
    record Tree(Tree left, long n, Tree right) {
        static Tree build(int depth, long n) {
            return depth == 0 ? null : new Tree(build(depth - 1, 2 * n), n, build(depth - 1, 2 * n + 1));
        }

        static long sum(Tree t) {
            return t == null ? 0 : sum(t.left) + t.n + sum(t.right);
        }
    }

    static final int ENTRY_BYTES = 15 * 32 + 8;

    public static void main(String[] arguments) {
        int seconds = Integer.parseInt(arguments[1]);
        int entries = (int) (Long.parseLong(arguments[0]) * 1000000 / ENTRY_BYTES);
        Tree[] table = new Tree[entries];
        for (int i = 0; i < entries; i++) table[i] = Tree.build(4, i);
        long[] gaps = new long[100001];
        long longest = 0, steps = 0, check = 0, random = 42;
        long last = System.nanoTime(), finish = last + seconds * 1000000000L;
        while (last < finish) {
            random = random * 16807 % 2147483647;
            int at = (int) (random % entries);
            check += Tree.sum(table[at]);
            table[at] = Tree.build(4, random % 1000);
            long time = System.nanoTime(), gap = time - last;
            gaps[(int) Math.min(gap / 1000, 100000)]++;
            longest = Math.max(longest, gap);
            last = time;
            steps++;
        }
        int quantile = 100000;
        for (long left = steps / 10000; quantile > 0; quantile--) if ((left -= gaps[quantile]) < 0) break;
        System.out.printf("longest %.3f%n", longest / 1e6);
        System.out.printf("p99.99 %.3f%n", quantile / 1e3);
        System.out.println("above-1 " + above(gaps, 1000));
        System.out.println("above-5 " + above(gaps, 5000));
        System.out.println("steps " + steps / seconds);
        if (check == 0) System.out.println("nothing was summed");
    }

    static long above(long[] gaps, int from) {
        long count = 0;
        for (int i = from; i < gaps.length; i++) count += gaps[i];
        return count;
    }
}
