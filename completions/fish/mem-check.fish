# Made by scripts/completions; do not edit.
complete -c mem-check -f
complete -c mem-check -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-check -l agent -x -d 'act as this agent'
complete -c mem-check -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c mem-check -l repair -d 'rebuild all that is derived, then check (operators)'
complete -c mem-check -l every-namespace -d 'all namespaces (operators)'
complete -c mem-check -s h -l help -d 'show this help'
complete -c mem-check -s V -l version -d 'show the version'
