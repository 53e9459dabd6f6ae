# Made by scripts/completions; do not edit.
complete -c skill-gaps -f
complete -c skill-gaps -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-gaps -l agent -x -d 'act as this agent'
complete -c skill-gaps -l since -x -d 'only what was asked, observed or learned at TIME or later'
complete -c skill-gaps -s n -l limit -x -d 'print at most N records'
complete -c skill-gaps -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-gaps -l every-namespace -d 'all namespaces (operators)'
complete -c skill-gaps -l now -x -d 'take TIME for the present'
complete -c skill-gaps -s h -l help -d 'show this help'
complete -c skill-gaps -s V -l version -d 'show the version'
