# Stops a throw-away Postgres when the process that started it is gone.
#
# Standard input is a pipe whose other end only that process holds, so it closes however the process ends, kill -9
# included. This shell leads a process group of its own; initdb and the server were put into it, so 0 means them all.
# $1 is the directory to remove, $2 the seconds after which all of this ends in any case.
dir=$1
trap '' HUP INT QUIT TERM

finish() {
    kill -QUIT 0 # an immediate shutdown; initdb takes it as a wish to end, too
    tries=0
    while [ -e "$dir/data/postmaster.pid" ] && [ $tries -lt 100 ]; do
        # After a crash the file is left behind and names a process that is gone.
        read -r pid <"$dir/data/postmaster.pid" && ! kill -0 "$pid" && break
        sleep 0.1
        tries=$((tries + 1))
    done
    for _ in 1 2 3 4 5; do
        rm -rf "$dir" && break
        sleep 0.2 # something was still writing
    done
    kill -KILL 0
}

(
    sleep "$2"
    finish
) &
cat >/dev/null
finish
