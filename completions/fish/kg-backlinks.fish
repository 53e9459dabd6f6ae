# Made by scripts/completions; do not edit.
complete -c kg-backlinks -f
complete -c kg-backlinks -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c kg-backlinks -l agent -x -d 'act as this agent'
complete -c kg-backlinks -l ns -x -d 'only these namespaces'
complete -c kg-backlinks -s n -l limit -x -d 'print at most N records'
complete -c kg-backlinks -l all -d 'print all, without a limit'
complete -c kg-backlinks -s 0 -d 'names end in NUL instead of newline'
complete -c kg-backlinks -s z -d 'the same as -0'
complete -c kg-backlinks -l format -x -a "auto json text" -d 'auto, json or text'
complete -c kg-backlinks -l every-namespace -d 'all namespaces (operators)'
complete -c kg-backlinks -l now -x -d 'take TIME for the present'
complete -c kg-backlinks -s h -l help -d 'show this help'
complete -c kg-backlinks -s V -l version -d 'show the version'
