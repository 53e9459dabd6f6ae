# Made by scripts/completions; do not edit.
complete -c skill-version -f
complete -c skill-version -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-version -l agent -x -d 'act as this agent'
complete -c skill-version -s q -l quiet -d 'print refusals only'
complete -c skill-version -l dry-run -d 'show what would be done, change nothing'
complete -c skill-version -l variant -x -d 'ab start: compare this release with the active one'
complete -c skill-version -l share -x -d 'ab start: so many sessions are served the variant (default .2)'
complete -c skill-version -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-version -l every-namespace -d 'all namespaces (operators)'
complete -c skill-version -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c skill-version -l now -x -d 'take TIME for the present'
complete -c skill-version -s h -l help -d 'show this help'
complete -c skill-version -s V -l version -d 'show the version'
