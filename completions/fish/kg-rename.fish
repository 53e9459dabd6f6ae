# Made by scripts/completions; do not edit.
complete -c kg-rename -f
complete -c kg-rename -l write -d 'rename the file and write the links'
complete -c kg-rename -l ignore -x -d 'leave out paths that it fits, as in .gitignore'
complete -c kg-rename -s q -l quiet -d 'print no diff'
complete -c kg-rename -s h -l help -d 'show this help'
complete -c kg-rename -s V -l version -d 'show the version'
