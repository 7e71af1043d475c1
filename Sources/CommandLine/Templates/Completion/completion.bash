# Completes my-hall in bash: source <(my-hall completion bash)
_my_hall() {
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        # the names of the commands
        return
    fi
    case "$command $last" in
        # the values of the flags
    esac
    if [[ $word == -* ]]; then
        case $command in
            # the flags
        esac
    else
        case $command in
            # the arguments
        esac
    fi
}
complete -F _my_hall my-hall
