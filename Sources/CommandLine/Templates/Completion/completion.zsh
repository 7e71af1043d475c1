#compdef my-hall
# Completes my-hall in zsh: put this as _my_hall into a folder of $fpath, or source it after compinit.
_my_hall_settings() {
    if ! compset -P '*='; then
        local -a keys
        # the keys of the configuration
        compadd -S = -- $keys
        return
    fi
    case ${${IPREFIX%=}##*=} in
        # the values of the keys
    esac
}
_my_hall() {
    local -a commands
    commands=(
        # the commands
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command=${words[2]}
    shift words
    ((CURRENT--))
    case $command in
        # the arguments of the commands
    esac
}
if [[ ${funcstack[1]} == _my_hall ]]; then
    _my_hall "$@"
else
    compdef _my_hall my-hall
fi
