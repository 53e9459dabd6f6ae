# Made by scripts/completions; do not edit.
complete -c mem-init -f -a "(__fish_complete_directories)"
complete -c mem-init -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-init -l agent -x -d 'act as this agent'
complete -c mem-init -s q -l quiet -d 'print refusals only'
complete -c mem-init -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-init -l user -d 'make the store that is used where no other is found'
complete -c mem-init -l trust -d 'trust the store that is there, and its settings as they are'
complete -c mem-init -s h -l help -d 'show this help'
complete -c mem-init -s V -l version -d 'show the version'
