# Made by scripts/completions; do not edit.
complete -c mem-hook -f -a "install remove status run claude-code codex codex-notify git cron"
complete -c mem-hook -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-hook -l agent -x -d 'act as this agent'
complete -c mem-hook -l project -d 'the settings of the project in this folder, not yours'
complete -c mem-hook -l dry-run -d 'show what would be done, change nothing'
complete -c mem-hook -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-hook -s q -l quiet -d 'print refusals only'
complete -c mem-hook -s h -l help -d 'show this help'
complete -c mem-hook -s V -l version -d 'show the version'
