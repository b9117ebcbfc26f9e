#!/bin/sh
# exits.sh CODE COMMAND...: runs a command that must exit with CODE and print exactly one line on standard error, which
# becomes the output.
expected="$1"
shift
message="$("$@" 2>&1 >/dev/null)"
code=$?
printf '%s\n' "$message"
if [ "$code" -ne "$expected" ]; then
  echo "expects exit code $expected, but got $code"
  exit 1
fi
lines="$(printf '%s\n' "$message" | wc -l)"
if [ "$lines" -ne 1 ] || [ -z "$message" ]; then
  echo "expects one line, but got $lines"
  exit 1
fi
