# sh cc.sh CC [ARGUMENT ...]: how many words the C compiler's command has
echo "time $#"
