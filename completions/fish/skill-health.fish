# Made by scripts/completions; do not edit.
complete -c skill-health -f
complete -c skill-health -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-health -l agent -x -d 'act as this agent'
complete -c skill-health -l ns -x -d 'only these namespaces'
complete -c skill-health -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-health -l every-namespace -d 'all namespaces (operators)'
complete -c skill-health -l now -x -d 'take TIME for the present'
complete -c skill-health -s h -l help -d 'show this help'
complete -c skill-health -s V -l version -d 'show the version'
