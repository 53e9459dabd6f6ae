# Made by scripts/completions; do not edit.
complete -c mem-export -f
complete -c mem-export -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-export -l agent -x -d 'act as this agent'
complete -c mem-export -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c mem-export -l every-namespace -d 'all namespaces (operators)'
complete -c mem-export -l now -x -d 'take TIME for the present'
complete -c mem-export -l header -d 'begin with a line that says what this is and when it was made'
complete -c mem-export -s h -l help -d 'show this help'
complete -c mem-export -s V -l version -d 'show the version'
