#!/usr/bin/env bash
# Runs the suites one after the other, all of them even if one fails, and sums up:
# each suite with its time and result. Fails if any of them failed.
set -uo pipefail

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
summary=()
failed=0

run() {
    local name=$1 began=$SECONDS result=ok
    shift
    printf '\n== %s\n' "$name"
    "$@" 2>&1 | tee "$logs/$name"
    if [ "${PIPESTATUS[0]}" -ne 0 ]; then
        result=FAILED
        failed=1
    fi
    # pytest's closing line, without colours and rules; the linters have none.
    local closing
    closing=$(sed 's/\x1b\[[0-9;]*m//g' "$logs/$name" |
        grep -E '^=+ .*(passed|failed|error|skipped|no tests ran).* in [0-9.]+s' | tail -n 1)
    summary+=("$(printf '%-6s %-7s %4ss  %s' "$name" "$result" $((SECONDS - began)) "$closing")")
}

for suite in "$@"; do
    run "$suite" "${MAKE:-make}" --no-print-directory "$suite"
done

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
# pytest's own closing lines, once more, as the last thing that is seen.
grep -hE '^(\x1b\[[0-9;]*m)*=+ .*(passed|failed|error|no tests ran).* in [0-9.]+s' "$logs"/* |
    sed 's/\x1b\[[0-9;]*m//g' || true
exit "$failed"
