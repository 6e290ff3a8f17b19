# What it leaves behind is in a session of its own, so it ends with no group, and holds the output.
setsid sleep 20 &
echo time 7
