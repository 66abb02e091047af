"""Xray's command line over its Python binding: `version`, `run -config <file|stdin:>` and `run -test -config <file|stdin:>`.

The registry of Go modules has no Xray after 26.3.27, and not all modules that one after 26.7.28 needs. The Python package has it
as a library of two functions, so this program has no other commands, and no reason for a configuration that is refused.
"""
import json
import subprocess
import sys

QUIET = {"loglevel": "warning", "access": "none", "error": ""}
# Exit code of the library where a configuration is accepted and cannot be started, as where a port is in use.
NOT_STARTED = 255


def try_start(config):
    """Starts a configuration in another process until it runs or ends: the line that says so, and the code with which it ended."""
    command = [sys.executable, __file__, "run", "-config", "stdin:"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write(json.dumps({**config, "log": QUIET}))
        process.stdin.close()
        started = next((line for line in process.stdout if line.rstrip().endswith(" started")), None)
        process.kill()
    return started, process.returncode


def main(command="", *options):
    if command == "version":
        started, _ = try_start({})
        print(f"Xray {started.split()[-2]} (Xray, Penetrates Everything.) Python binding")
    elif command == "run" and len(options) >= 2 and options[-2] in ("-c", "-config"):
        with sys.stdin if options[-1] == "stdin:" else open(options[-1]) as file:
            text = file.read()
        if options[0] != "-test":
            from xray import startFromJSON

            return startFromJSON(text)
        started, code = try_start(json.loads(text))
        if started is None and code != NOT_STARTED:
            sys.exit(f"The configuration is refused (code {code})")
        print("Configuration OK.")
    else:
        sys.exit(f"unknown command: {command}")


main(*sys.argv[1:])
