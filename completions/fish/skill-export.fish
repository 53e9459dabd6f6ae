# Made by scripts/completions; do not edit.
complete -c skill-export -f -a "(__fish_complete_directories)"
complete -c skill-export -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-export -l agent -x -d 'act as this agent'
complete -c skill-export -s q -l quiet -d 'print refusals only'
complete -c skill-export -l dry-run -d 'show what would be done, change nothing'
complete -c skill-export -l force -d 'replace files of another content'
complete -c skill-export -l ns -x -d 'skills of NS alone (default: all that you read)'
complete -c skill-export -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-export -l now -x -d 'take TIME for the present'
complete -c skill-export -s h -l help -d 'show this help'
complete -c skill-export -s V -l version -d 'show the version'
