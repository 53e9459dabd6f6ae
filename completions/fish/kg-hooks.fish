# Made by scripts/completions; do not edit.
complete -c kg-hooks -f -a "install remove status run"
complete -c kg-hooks -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c kg-hooks -l agent -x -d 'act as this agent'
complete -c kg-hooks -l vault -x -d 'the name of the vault'
complete -c kg-hooks -l dry-run -d 'show what would be done, change nothing'
complete -c kg-hooks -l format -x -a "auto json text" -d 'auto, json or text'
complete -c kg-hooks -s q -l quiet -d 'print refusals only'
complete -c kg-hooks -s h -l help -d 'show this help'
complete -c kg-hooks -s V -l version -d 'show the version'
