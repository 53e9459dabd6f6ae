# Made by scripts/completions; do not edit.
complete -c kg-check -f
complete -c kg-check -l staged -d 'check what is staged for the next commit'
complete -c kg-check -l rev -x -d 'check the files of this commit'
complete -c kg-check -l only -x -d 'only broken, ambiguous, heading, block, orphan, unread'
complete -c kg-check -l ignore -x -d 'leave out paths that it fits, as in .gitignore'
complete -c kg-check -l format -x -a "auto json text" -d 'auto, json or text'
complete -c kg-check -s h -l help -d 'show this help'
complete -c kg-check -s V -l version -d 'show the version'
