# Completes my-hall in bash: source <(my-hall completion bash)
# The bash of macOS is 3.2, which has no mapfile and no negative index.
# shellcheck disable=SC2207
_my_hall_reply() { COMPREPLY=($(compgen "$@" -- "$word")); }
_my_hall_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    _my_hall_reply -f
}
_my_hall_settings() {
    if [[ $word != *=* ]]; then
        compopt -o nospace 2>/dev/null
        # the keys of the configuration
        return
    fi
    local key=${word%%=*} before=${word%%=*}=
    word=${word#*=}
    case $key in
        # the values of the keys
    esac
    COMPREPLY=(${COMPREPLY[@]+"${COMPREPLY[@]/#/$before}"})
}
_my_hall_words() {
    local end=$((${#words[@]} - 1)) command=${words[1]} place=0 index
    local last=${words[end - 1]}
    if ((end == 1)); then
        # the names of the commands
        return
    fi
    if [[ $word == --*=* ]]; then
        last=${word%%=*}
        word=${word#*=}
    fi
    case "$command $last" in
        # the values of the flags
    esac
    if [[ $word == -* ]]; then
        case $command in
            # the flags
        esac
        return
    fi
    for ((index = 2; index < end; index++)); do
        case "$command ${words[index]}" in
            # the flags that have values
            *' -'*) ;;
            *) place=$((place + 1)) ;;
        esac
    done
    case "$command $place" in
        # the arguments
    esac
}
_my_hall() {
    # Bash cuts words at = and :, too, and replaces only the last piece.
    local -a words
    read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} != *[[:space:]] ]] || words+=("")
    local word=${words[${#words[@]} - 1]}
    local typed=$word piece=$word reply
    [[ $COMP_WORDBREAKS != *=* ]] || piece=${word##*[=:]}
    COMPREPLY=()
    _my_hall_words
    local before=${typed%"$piece"}
    for reply in "${!COMPREPLY[@]}"; do
        [[ $typed != --*=* ]] || COMPREPLY[reply]=${typed%%=*}=${COMPREPLY[reply]}
        COMPREPLY[reply]=${COMPREPLY[reply]#"$before"}
    done
}
complete -F _my_hall my-hall
