# Made by scripts/completions; do not edit.
complete -c mem-embed -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-embed -s n -l limit -x -d 'print at most N records'
complete -c mem-embed -l model -x -d 'use this model, or the model in this file'
complete -c mem-embed -l query -d 'the texts are questions'
complete -c mem-embed -l format -x -a "json base64 f32" -d 'json, base64 or f32 (default: json)'
complete -c mem-embed -s h -l help -d 'show this help'
complete -c mem-embed -s V -l version -d 'show the version'
