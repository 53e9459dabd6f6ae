# Made by scripts/completions; do not edit.
complete -c kg-tier -f
complete -c kg-tier -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c kg-tier -l agent -x -d 'act as this agent'
complete -c kg-tier -s q -l quiet -d 'print refusals only'
complete -c kg-tier -l dry-run -d 'show what would be done, change nothing'
complete -c kg-tier -l ask -d 'ask for a review of each pattern that waits'
complete -c kg-tier -l undo -d 'take these patterns back'
complete -c kg-tier -l format -x -a "auto json text" -d 'auto, json or text'
complete -c kg-tier -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c kg-tier -l now -x -d 'take TIME for the present'
complete -c kg-tier -s h -l help -d 'show this help'
complete -c kg-tier -s V -l version -d 'show the version'
