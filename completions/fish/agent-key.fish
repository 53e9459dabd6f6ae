# Made by scripts/completions; do not edit.
complete -c agent-key -f -a "add rotate retire list"
complete -c agent-key -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c agent-key -l agent -x -d 'act as this agent'
complete -c agent-key -s q -l quiet -d 'print refusals only'
complete -c agent-key -l dry-run -d 'show what would be done, change nothing'
complete -c agent-key -s n -l limit -x -d 'print at most N records'
complete -c agent-key -l all -d 'print all, without a limit'
complete -c agent-key -l format -x -a "auto json text" -d 'auto, json or text'
complete -c agent-key -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c agent-key -l now -x -d 'take TIME for the present'
complete -c agent-key -s h -l help -d 'show this help'
complete -c agent-key -s V -l version -d 'show the version'
