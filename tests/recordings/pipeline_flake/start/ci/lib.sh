# Functions and exit codes shared by the runner and the stages.

# The release dashboard maps these codes to colours and owners.
EXIT_LINT=11
EXIT_VERIFY=17
EXIT_UNIT=23
EXIT_PACKAGE=31
EXIT_USAGE=64
EXIT_TIMEOUT=74
EXIT_OVERFLOW=75

# config SECTION KEY: a value of ci/config.ini, or exit code 64.
config() {
    local value
    value="$(awk -F ' *= *' -v section="[$1]" -v key="$2" '
        /^\[/ { inside = ($0 == section) }
        inside && $1 == key { print $2; exit }
    ' ci/config.ini)"
    if [ -z "$value" ]; then
        echo "ci: no $2 in section $1 of ci/config.ini" >&2
        exit "$EXIT_USAGE"
    fi
    printf '%s\n' "$value"
}

# stage_name PATH: 30-package.sh is the stage "package".
stage_name() {
    local base
    base="$(basename "$1" .sh)"
    printf '%s\n' "${base#*-}"
}

# report STAGE STATUS CODE: the line that the dashboard parses.
report() {
    printf 'CI|%s|%s|%s\n' "$1" "$2" "$3"
}

# run_stage PATH: run one stage under its limits. Returns its exit code.
run_stage() {
    local script="$1" name limit log code lines
    name="$(stage_name "$script")"
    limit="$(config "stage.$name" timeout)" || return "$EXIT_USAGE"
    log=".ci-logs/$name.log"
    timeout "${limit}s" bash "$script" >"$log" 2>&1
    code=$?
    if [ "$code" -eq 124 ]; then
        report "$name" timeout "$EXIT_TIMEOUT"
        return "$EXIT_TIMEOUT"
    fi
    if [ "$code" -ne 0 ]; then
        report "$name" failed "$code"
        tail -n "$(config runner log_tail)" "$log" | sed 's/^/    /'
        return "$code"
    fi
    lines="$(wc -l <"$log")"
    limit="$(config runner log_limit)"
    if [ "$lines" -gt "$limit" ]; then
        report "$name" overflow "$EXIT_OVERFLOW"
        echo "    log of stage $name has $lines lines, limit is $limit"
        return "$EXIT_OVERFLOW"
    fi
    report "$name" ok 0
    return 0
}
