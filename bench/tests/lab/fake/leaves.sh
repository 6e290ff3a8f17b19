sleep 1000 &
echo time 7
