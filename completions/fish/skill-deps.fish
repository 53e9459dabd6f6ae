# Made by scripts/completions; do not edit.
complete -c skill-deps -f
complete -c skill-deps -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-deps -l agent -x -d 'act as this agent'
complete -c skill-deps -l ns -x -d 'skills of this namespace'
complete -c skill-deps -l kind -x -d 'only these edges: requires, composes, succeeds'
complete -c skill-deps -l hops -x -d 'at most so many edges far'
complete -c skill-deps -s 0 -d 'names end in NUL instead of newline'
complete -c skill-deps -s z -d 'the same as -0'
complete -c skill-deps -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-deps -l every-namespace -d 'all namespaces (operators)'
complete -c skill-deps -l now -x -d 'take TIME for the present'
complete -c skill-deps -s h -l help -d 'show this help'
complete -c skill-deps -s V -l version -d 'show the version'
