# Made by scripts/completions; do not edit.
complete -c skill-show -f
complete -c skill-show -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-show -l agent -x -d 'act as this agent'
complete -c skill-show -l ns -x -d 'skills of this namespace'
complete -c skill-show -s 0 -d 'names end in NUL instead of newline'
complete -c skill-show -s z -d 'the same as -0'
complete -c skill-show -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-show -l every-namespace -d 'all namespaces (operators)'
complete -c skill-show -l now -x -d 'take TIME for the present'
complete -c skill-show -s h -l help -d 'show this help'
complete -c skill-show -s V -l version -d 'show the version'
