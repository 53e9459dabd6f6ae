# Made by scripts/completions; do not edit.
complete -c mem-promote -f
complete -c mem-promote -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-promote -l agent -x -d 'act as this agent'
complete -c mem-promote -s q -l quiet -d 'print refusals only'
complete -c mem-promote -l dry-run -d 'show what would be done, change nothing'
complete -c mem-promote -l demote -d 'take these back'
complete -c mem-promote -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-promote -l every-namespace -d 'all namespaces (operators)'
complete -c mem-promote -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c mem-promote -l now -x -d 'take TIME for the present'
complete -c mem-promote -s h -l help -d 'show this help'
complete -c mem-promote -s V -l version -d 'show the version'
