# Made by scripts/completions; do not edit.
complete -c mem-attest -f
complete -c mem-attest -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-attest -l agent -x -d 'act as this agent'
complete -c mem-attest -s q -l quiet -d 'print refusals only'
complete -c mem-attest -l dry-run -d 'show what would be done, change nothing'
complete -c mem-attest -l signature -x -d 'this signature of the attestation'
complete -c mem-attest -l at -x -d 'when it was signed'
complete -c mem-attest -l reliability -x -d 'say how reliable agents are, from 0 to 1 (operators)'
complete -c mem-attest -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-attest -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c mem-attest -l now -x -d 'take TIME for the present'
complete -c mem-attest -s h -l help -d 'show this help'
complete -c mem-attest -s V -l version -d 'show the version'
