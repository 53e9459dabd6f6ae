# Made by scripts/completions; do not edit.
complete -c agent-team -f -a "add remove list"
complete -c agent-team -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c agent-team -l agent -x -d 'act as this agent'
complete -c agent-team -s q -l quiet -d 'print refusals only'
complete -c agent-team -l dry-run -d 'show what would be done, change nothing'
complete -c agent-team -s n -l limit -x -d 'print at most N records'
complete -c agent-team -l all -d 'print all, without a limit'
complete -c agent-team -l format -x -a "auto json text" -d 'auto, json or text'
complete -c agent-team -l every-namespace -d 'all namespaces (operators)'
complete -c agent-team -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c agent-team -l now -x -d 'take TIME for the present'
complete -c agent-team -s h -l help -d 'show this help'
complete -c agent-team -s V -l version -d 'show the version'
