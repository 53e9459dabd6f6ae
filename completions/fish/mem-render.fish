# Made by scripts/completions; do not edit.
complete -c mem-render -f
complete -c mem-render -s n -l limit -x -d 'print at most N records'
complete -c mem-render -l tokens -x -d 'print at most N tokens, as the encoder counts them'
complete -c mem-render -l format -x -a "fence markdown plain json" -d 'fence, markdown, plain or json'
complete -c mem-render -l order -x -a "auto id rank" -d 'print by id or by rank; auto: by id, json as the input'
complete -c mem-render -l whole -d 'print long texts whole, not the passage that answers'
complete -c mem-render -l summary -d 'say first how many hits are shown, of how many, and how they were found'
complete -c mem-render -s h -l help -d 'show this help'
complete -c mem-render -s V -l version -d 'show the version'
