# Made by scripts/completions; do not edit.
complete -c mem-backup -f
complete -c mem-backup -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-backup -s q -l quiet -d 'print refusals only'
complete -c mem-backup -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c mem-backup -l replace -d 'put the copy in the place of an older one'
complete -c mem-backup -s h -l help -d 'show this help'
complete -c mem-backup -s V -l version -d 'show the version'
