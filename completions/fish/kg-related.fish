# Made by scripts/completions; do not edit.
complete -c kg-related -f
complete -c kg-related -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c kg-related -l agent -x -d 'act as this agent'
complete -c kg-related -l ns -x -d 'only these namespaces'
complete -c kg-related -s n -l limit -x -d 'print at most N records'
complete -c kg-related -l all -d 'print all, without a limit'
complete -c kg-related -l format -x -a "auto json text" -d 'auto, json or text'
complete -c kg-related -l every-namespace -d 'all namespaces (operators)'
complete -c kg-related -l now -x -d 'take TIME for the present'
complete -c kg-related -s h -l help -d 'show this help'
complete -c kg-related -s V -l version -d 'show the version'
