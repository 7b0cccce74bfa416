#!/usr/bin/env bash
# Runs the suites one after the other, all of them even if one fails, and sums up:
# each suite with its time and result. Fails if any of them failed.
set -uo pipefail

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
summary=()
failed=0

# pytest's own last line, without colours; the linters have none.
closing_line() {
    sed 's/\x1b\[[0-9;]*m//g' "$logs/$1" |
        grep -E '^=+ .*(passed|failed|error|skipped|no tests ran).* in [0-9.]+s' | tail -n 1
}

run() {
    local name=$1 began=$SECONDS result=ok
    shift
    printf '\n== %s\n' "$name"
    "$@" 2>&1 | tee "$logs/$name"
    if [ "${PIPESTATUS[0]}" -ne 0 ]; then
        result=FAILED
        failed=1
    fi
    summary+=("$(printf '%-6s %-7s %4ss' "$name" "$result" $((SECONDS - began)))")
}

for suite in "$@"; do
    run "$suite" "${MAKE:-make}" --no-print-directory "$suite"
done

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
# pytest's own closing lines, once more, as the last thing that is seen.
for suite in "$@"; do
    closing_line "$suite"
done
exit "$failed"
