# Made by scripts/completions; do not edit.
complete -c mem-history -f
complete -c mem-history -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-history -l agent -x -d 'act as this agent'
complete -c mem-history -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-history -l every-namespace -d 'all namespaces (operators)'
complete -c mem-history -l now -x -d 'take TIME for the present'
complete -c mem-history -s h -l help -d 'show this help'
complete -c mem-history -s V -l version -d 'show the version'
