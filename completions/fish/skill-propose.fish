# Made by scripts/completions; do not edit.
complete -c skill-propose -f
complete -c skill-propose -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-propose -l agent -x -d 'act as this agent'
complete -c skill-propose -s q -l quiet -d 'print refusals only'
complete -c skill-propose -l dry-run -d 'show what would be done, change nothing'
complete -c skill-propose -l ns -x -d 'write the draft to NS, not to the caller'\''s own'
complete -c skill-propose -l submit -d 'submit these drafts to those who review'
complete -c skill-propose -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-propose -l every-namespace -d 'all namespaces (operators)'
complete -c skill-propose -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c skill-propose -l now -x -d 'take TIME for the present'
complete -c skill-propose -s h -l help -d 'show this help'
complete -c skill-propose -s V -l version -d 'show the version'
