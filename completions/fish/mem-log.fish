# Made by scripts/completions; do not edit.
complete -c mem-log -f
complete -c mem-log -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-log -l agent -x -d 'act as this agent'
complete -c mem-log -s f -l follow -d 'wait for further changes and print them'
complete -c mem-log -l after -x -d 'only changes behind this one'
complete -c mem-log -l kind -x -d 'only these kinds'
complete -c mem-log -l ns -x -d 'only these namespaces'
complete -c mem-log -s n -l limit -x -d 'print at most N records'
complete -c mem-log -l all -d 'print all, without a limit'
complete -c mem-log -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-log -l every-namespace -d 'all namespaces (operators)'
complete -c mem-log -s h -l help -d 'show this help'
complete -c mem-log -s V -l version -d 'show the version'
