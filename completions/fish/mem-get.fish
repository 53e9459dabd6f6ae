# Made by scripts/completions; do not edit.
complete -c mem-get -f
complete -c mem-get -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-get -l agent -x -d 'act as this agent'
complete -c mem-get -s r -l ref -x -d 'the nodes with this ref, live ones first, newest first'
complete -c mem-get -l ns -x -d 'only these namespaces'
complete -c mem-get -s n -l limit -x -d 'print at most N records'
complete -c mem-get -s 0 -d 'names end in NUL instead of newline'
complete -c mem-get -s z -d 'the same as -0'
complete -c mem-get -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-get -l every-namespace -d 'all namespaces (operators)'
complete -c mem-get -l now -x -d 'take TIME for the present'
complete -c mem-get -s h -l help -d 'show this help'
complete -c mem-get -s V -l version -d 'show the version'
