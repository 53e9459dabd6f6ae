# Made by scripts/completions; do not edit.
complete -c mem-rerank -f
complete -c mem-rerank -l mmr -d 'put what is like a hit before it behind others (the default)'
complete -c mem-rerank -l lambda -x -d 'how much the score counts for --mmr, from 0 to 1 (default .7)'
complete -c mem-rerank -l factors -d 'weigh the score by importance and trust'
complete -c mem-rerank -l per-session -x -d 'at most N hits of a session'
complete -c mem-rerank -l again -d 'do also what was done before'
complete -c mem-rerank -s h -l help -d 'show this help'
complete -c mem-rerank -s V -l version -d 'show the version'
