# shellcheck shell=bash
# Functions for .ci/run and script/soak: timed steps and strict test runs. Source this file from the project's root.

readonly logs=.build/logs
minutes=20 # the longest time for one run of the tests
scratch=.build      # where the tests were built

# Regular expressions of tests that a load or the thread sanitizer can tell nothing new: one thread runs their code. It is pure, or
# simulates nodes, crashes and damaged files. The last measure memory, which says nothing with a sanitizer.
# shellcheck disable=SC2034 # for .ci/run and script/soak
readonly without_threads=(
    '^(ArchitectureTests|ClusterTests|ExampleStoresTests|FuzzTests|HTTPTests|JSONTests|SecurityTests)[.]'
    '^JournalTests[.](CrashTests|DamageTests|RandomTransactionTests|SortingPropertyTests)'
    '[.]MemoryProcessTests'
)

# A process that starts others all the time can wait for ever for the program that names a report's functions.
export TSAN_OPTIONS=halt_on_error=1:symbolize=0
# script/test says why there is no search for leaks. The other options take less time: fewer functions in a report of who allocated, no
# pattern in new memory, and memory that is used again after 16 MB of others.
export ASAN_OPTIONS=detect_leaks=0:malloc_context_size=4:max_malloc_fill_size=0:quarantine_size_mb=16
mkdir -p "$logs"

# Installs the linters and what the tests use: a Redis, shells and compilers to test with, and a debugger to show what takes too long.
install_packages() {
    script/prepare lua-check tidy node-css shellcheck fish zsh node-typescript redis-server gdb procps strace groff-base mandoc
    # A test that misses its tool is skipped, and skipped tests fail a run: better now than after half an hour.
    local tool tools
    mapfile -t tools < <(grep -rhoP '\bTool\("\K[a-z]+' Tests | sort -u)
    for tool in "${tools[@]}"; do
        command -v "$tool" >/dev/null || { echo "no package in script/checks.sh brings the tool $tool of the tests" >&2; return 1; }
    done
}

# step NAME COMMAND…: runs the command, and prints one line with its name and its time. If it fails, the end of what it wrote
# follows, and the script ends.
step() {
    local name=$1 started=$SECONDS log=$logs/${1//[^[:alnum:]]/-}.log status
    shift
    printf '==> %s: ' "$name"
    # Not a condition, because -e has no effect on commands in one.
    set +e
    (set -e; "$@") >"$log" 2>&1 </dev/null
    status=$?
    set -e
    if ((status)); then
        printf 'FAILED after %d s, status %d: %s\n' $((SECONDS - started)) "$status" "$*"
        tail -c 200000 "$log"
        exit 1
    fi
    printf '%d s\n' $((SECONDS - started))
}

# Prints what the last run of the tests ran, and which suites took longest.
summary() {
    printf '\nThe ten slowest suites of the last run of the tests:\n'
    script/slowest-suites "$logs/events"
    printf '\n==> all checks passed in %d minutes\n' $(((SECONDS + 59) / 60))
    cat "$logs/passed"
}

# Builds, and fails on a warning in C code. The Swift compiler treats warnings as errors by itself.
build() {
    swift build "$@" 2>&1 | tee "$logs/build.log" || return
    if grep -qE '\.[ch]:[0-9:]+ warning:' "$logs/build.log"; then
        echo 'error: the build warns'
        return 1
    fi
}

# Runs the tests with the given options. A failure, a skipped test and an empty run are errors.
run_tests() {
    local log status=0
    log=$(mktemp "$logs/test.XXXXXX")
    print_stacks_in $((minutes * 60 - 20)) >"$log.stacks" 2>&1 &
    # Whole lines reach the log at once, so that it names what ran when the time was up.
    timeout --kill-after=10 "${minutes}m" stdbuf -oL script/test "$@" --event-stream-output-path "$logs/events" \
        --event-stream-version 0 >"$log" 2>&1 || status=$?
    kill $! 2>/dev/null || true
    if ((status)); then
        grep -v '^◇ ' "$log" | tail -c 200000
        if ((status == 124)); then
            unfinished_tests "$log"
            cat "$log.stacks"
        fi
        # The failures come again at the end, because readers of a long log begin there.
        grep -E '^✘ |: (fatal )?error:' "$log" | tail -n 40 || true
        sanitizer_reports "$log"
        echo "error: status $status (124: it took more than $minutes minutes)"
        return "$status"
    fi
    if grep '^➜ ' "$log"; then
        echo 'error: tests were skipped'
        return 1
    fi
    if ! grep -E 'Test run with [1-9][0-9]* tests? .*passed' "$log" >"$logs/passed"; then
        echo 'error: no test ran'
        return 1
    fi
}

# Prints what the threads of the tests do after so many seconds.
print_stacks_in() {
    local pid sleeper
    trap 'kill "$sleeper"; exit' TERM
    sleep "$1" &
    sleeper=$!
    wait "$sleeper"
    for pid in $(pgrep -f "^$PWD/$scratch/.*[.]xctest "); do
        # Idle threads wait in sem_timedwait.
        gdb -p "$pid" -batch -ex 'thread apply all -s bt -frame-info short-location 40' 2>/dev/null |
            sed -nE 's/^#([0-9]+ +)(0x[0-9a-f]+ in )?/    /p;s/^Thread/\n&/p' | awk -v RS= -v ORS='\n' '!/sem_timedwait/'
    done
}

# Prints the tests that have begun and not ended in a log of a test run.
unfinished_tests() {
    echo 'error: these tests had not ended:'
    comm -23 <(sed -nE '/^◇ Test case /!s/^◇ Test (.*) started\.$/\1/p' "$1" | sort) \
        <(sed -nE 's/^[✔✘] Test (.*) (passed|failed) after .*$/\1/p' "$1" | sed -E 's/ with [0-9]+ test cases?$//' | sort) |
        paste -s -d ' ' | fold -s -w 200
}

# Prints the first lines of a sanitizer's reports in a log, with the functions and lines of code of our own addresses.
sanitizer_reports() {
    local line frame
    sed -n '/WARNING: ThreadSanitizer/,/^SUMMARY/p;/ERROR: AddressSanitizer/,/^SUMMARY/p' "$1" | head -n 60 | while IFS= read -r line; do
        if [[ $line =~ \<null\>.*\((storehouse[^+]*)\+(0x[0-9a-f]+)\) ]] &&
            frame=$(llvm-symbolizer --obj="$scratch/debug/${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"); then
            line="    $(swift demangle --simplified <<<"$frame" | paste -s -d ' ')"
        fi
        printf '%s\n' "$line"
    done
}

# sanitized NAME ROUNDS [TESTS…]: builds with a sanitizer, and runs all tests but those so many times.
sanitized() {
    local sanitizer=$1 rounds=$2 round tests
    shift 2
    scratch=.build/$sanitizer
    local options=(--sanitize "$sanitizer" --scratch-path "$scratch")
    step "build for the $sanitizer sanitizer" build --build-tests "${options[@]}"
    options+=(--skip-build)
    for tests in "$@"; do options+=(--skip "$tests"); done
    for ((round = 1; round <= rounds; round++)); do
        step "tests under the $sanitizer sanitizer, $round of $rounds" run_tests "${options[@]}"
    done
    scratch=.build
}

# beside_load PROCESSES ROUNDS [TESTS…]: runs all tests but those so many times, beside so many processes that never wait.
beside_load() {
    local processes=$1 rounds=$2 round tests
    shift 2
    local options=(--skip-build)
    for tests in "$@"; do options+=(--skip "$tests"); done
    step 'build of the tests' build --build-tests
    for ((round = 1; round <= rounds; round++)); do
        step "tests beside a load of $processes, $round of $rounds" run_beside "$processes" "${options[@]}"
    done
}

# run_beside PROCESSES [OPTION…]: runs the tests with these options beside so many processes that never wait.
run_beside() {
    local processes=$1 status=0 busy=()
    shift
    while ((${#busy[@]} < processes)); do
        (while :; do :; done) &
        busy+=($!)
    done
    run_tests "$@" || status=$?
    kill "${busy[@]}"
    return "$status"
}
