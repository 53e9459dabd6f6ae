# Made by scripts/completions; do not edit.
complete -c mem-stat -f
complete -c mem-stat -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-stat -l agent -x -d 'act as this agent'
complete -c mem-stat -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-stat -l every-namespace -d 'all namespaces (operators)'
complete -c mem-stat -l now -x -d 'take TIME for the present'
complete -c mem-stat -l queries -d 'the log of queries, in numbers'
complete -c mem-stat -l since -x -d 'with --queries: only what was asked at TIME or later'
complete -c mem-stat -s h -l help -d 'show this help'
complete -c mem-stat -s V -l version -d 'show the version'
