# Made by scripts/completions; do not edit.
complete -c skill-coverage -f
complete -c skill-coverage -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-coverage -l task -x -d 'who has the skills that this task asks for'
complete -c skill-coverage -s n -l limit -x -d 'of the task, at most N skills (10)'
complete -c skill-coverage -l agent -x -d 'act as this agent'
complete -c skill-coverage -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-coverage -l every-namespace -d 'all namespaces (operators)'
complete -c skill-coverage -l now -x -d 'take TIME for the present'
complete -c skill-coverage -s h -l help -d 'show this help'
complete -c skill-coverage -s V -l version -d 'show the version'
