#!/bin/sh
# Says in plain words what the machine lacks, before anything is installed.
# Usage: preflight.sh python | node   (PYTHON= chooses the interpreter)
set -eu

PYTHON=${PYTHON:-python3}

fail() {
    printf 'fanfare: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '  %s\n' "$2" >&2
    exit 1
}

check_python() {
    command -v "$PYTHON" >/dev/null 2>&1 ||
        fail "no Python found as '$PYTHON'" \
            "install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3.12 ..."
    version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "Python 3.11 or newer is needed; '$PYTHON' is $version" \
            "name a newer one: make PYTHON=/path/to/python3.12 ..."
    "$PYTHON" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        fail "'$PYTHON' cannot make virtual environments (its ensurepip module is missing)" \
            "on Debian or Ubuntu: apt install python3-venv"
}

check_node() {
    command -v node >/dev/null 2>&1 ||
        fail "no Node.js found" "install Node.js 20 or newer (the AWS CDK command runs on it)"
    version=$(node --version)
    major=${version#v}
    major=${major%%.*}
    [ "$major" -ge 20 ] ||
        fail "Node.js 20 or newer is needed; this is $version" \
            "the AWS CDK command runs on it"
    command -v npm >/dev/null 2>&1 ||
        fail "Node.js is here, but npm is not" "on Debian or Ubuntu: apt install npm"
}

case ${1:-} in
python) check_python ;;
node) check_node ;;
*) fail "usage: preflight.sh python | node" ;;
esac
