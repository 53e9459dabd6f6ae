# Made by scripts/completions; do not edit.
complete -c skill-status -f
complete -c skill-status -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-status -l agent -x -d 'act as this agent'
complete -c skill-status -s q -l quiet -d 'print refusals only'
complete -c skill-status -l dry-run -d 'show what would be done, change nothing'
complete -c skill-status -l reason -x -d 'why; it is kept'
complete -c skill-status -l ns -x -d 'skills of this namespace'
complete -c skill-status -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-status -l every-namespace -d 'all namespaces (operators)'
complete -c skill-status -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c skill-status -l now -x -d 'take TIME for the present'
complete -c skill-status -s h -l help -d 'show this help'
complete -c skill-status -s V -l version -d 'show the version'
