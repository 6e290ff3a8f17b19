# Java's ZGC with a heap of so many times the live data: sh zgc.sh JAVA CLASSES TIMES MEGABYTES SECONDS
exec "$1" -XX:+UseZGC -Xms$(($3 * $4))m -Xmx$(($3 * $4))m -cp "$2" Table "$4" "$5"
