# Made by scripts/completions; do not edit.
complete -c mem-gate -f
complete -c mem-gate -l tokens -x -d 'keep at most N tokens, as mem-render counts them (default 4000)'
complete -c mem-gate -l report -r -F -d 'write to FILE what went, and why'
complete -c mem-gate -l again -d 'gate also what was gated before'
complete -c mem-gate -s h -l help -d 'show this help'
complete -c mem-gate -s V -l version -d 'show the version'
