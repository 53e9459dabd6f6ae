# Made by scripts/completions; do not edit.
complete -c mem-fuse -l fusion -x -a "zscore minmax rrf weighted simple" -d 'zscore, minmax, rrf, weighted or simple'
complete -c mem-fuse -l weights -x -d 'how much each list counts (default all the same)'
complete -c mem-fuse -l min-score -x -d 'only hits whose new score is at least X'
complete -c mem-fuse -s n -l limit -x -d 'print at most N records'
complete -c mem-fuse -s h -l help -d 'show this help'
complete -c mem-fuse -s V -l version -d 'show the version'
