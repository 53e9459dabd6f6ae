# Made by scripts/completions; do not edit.
complete -c kg-merge -f
complete -c kg-merge -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c kg-merge -l agent -x -d 'act as this agent'
complete -c kg-merge -s q -l quiet -d 'print refusals only'
complete -c kg-merge -l dry-run -d 'show what would be done, change nothing'
complete -c kg-merge -l undo -d 'take back what merged these nodes'
complete -c kg-merge -l format -x -a "auto json text" -d 'auto, json or text'
complete -c kg-merge -l every-namespace -d 'all namespaces (operators)'
complete -c kg-merge -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c kg-merge -l now -x -d 'take TIME for the present'
complete -c kg-merge -s h -l help -d 'show this help'
complete -c kg-merge -s V -l version -d 'show the version'
