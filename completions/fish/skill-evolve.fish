# Made by scripts/completions; do not edit.
complete -c skill-evolve -f
complete -c skill-evolve -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c skill-evolve -l agent -x -d 'act as this agent'
complete -c skill-evolve -l suggest -x -a "description tags tool dependency success_rate body trend" -d 'only suggestions of these kinds'
complete -c skill-evolve -l tokens -x -d 'the budget of a body, as skill-activate has it'
complete -c skill-evolve -s n -l limit -x -d 'print at most N records'
complete -c skill-evolve -l format -x -a "auto json text" -d 'auto, json or text'
complete -c skill-evolve -l every-namespace -d 'all namespaces (operators)'
complete -c skill-evolve -l now -x -d 'take TIME for the present'
complete -c skill-evolve -s h -l help -d 'show this help'
complete -c skill-evolve -s V -l version -d 'show the version'
