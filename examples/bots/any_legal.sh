#!/bin/sh
# A bot that plays any legal action: kibitz watch pawns "cmd:sh examples/bots/any_legal.sh" random
# It needs nothing but a POSIX shell.
# It cuts what it needs out of each line. That works because kibitz writes no spaces between the parts, and because a
# quote inside a text is written \", so that "seq": and the like stand nowhere else.
state=0
# Sets $drawn to a number from 0 to $1 - 1: a linear congruential generator that starts from kibitz's seed.
draw() {
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$((state / 65536 % $1))
}

# Sets $number to the number that stands behind the name $1 in the text $2.
number() {
    number=${2#*\""$1"\":}
    number=${number%%[!0-9]*}
}

while IFS= read -r line; do
    case $line in
    '{"type":"begin"'*)
        number seed "$line" && state=$number
        echo '{"type":"ready","name":"any_legal.sh"}'
        ;;
    '{"type":"act"'*)
        number seq "$line" && seq=$number
        legal=${line#*\"legal\":}
        legal=${legal%%\"events\":*} # what happened so far does not matter here
        actions=${legal#*\"actions\":\[\"} # take 1 from 0","take 2 from 0"],"verb…
        number count "$legal"
        draw $((number < 500 ? number : 500)) # no more than 500 are listed
        if [ "$legal" != "${legal#*\"words\":\"}" ]; then # too many to list: words with a number where the # is
            while legal=${legal#*\"words\":\"} && [ "$drawn" -gt 9 ] && [ "$legal" != "${legal#*\"words\":\"}" ]; do
                drawn=$((drawn - 9))
            done
            number most "$legal"
            action=${legal%%\"*}
            action=${action%%#*}$number${action#*#}
        elif [ "$actions" != "$legal" ]; then
            while [ "$drawn" -gt 0 ]; do
                actions=${actions#*\",\"}
                drawn=$((drawn - 1))
            done
            action=${actions%%\"*}
        else # or an action says how many of each thing; this bot takes the least or the most of it
            action=${legal#*\"verb\":\"} things=nothing
            action=${action%%\"*}
            while [ "$legal" != "${legal#*\"name\":\"}" ]; do
                legal=${legal#*\"name\":\"}
                draw 2
                if [ "$drawn" = 0 ]; then number least "$legal"; else number most "$legal"; fi
                [ "$number" = 0 ] || things="${things#nothing} $number ${legal%%\"*}"
            done
            action="$action ${things# }"
        fi
        printf '{"type":"action","seq":%s,"action":"%s"}\n' "$seq" "$action"
        ;;
    esac
done
