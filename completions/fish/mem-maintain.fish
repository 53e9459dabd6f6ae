# Made by scripts/completions; do not edit.
complete -c mem-maintain -f -a "upgrade expire reembed consolidate embed dedupe learn decay forget promote activation cooccurrence tags mining tiers sync proposals gaps conflicts stale index pack compact"
complete -c mem-maintain -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-maintain -l agent -x -d 'act as this agent'
complete -c mem-maintain -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c mem-maintain -l now -x -d 'take TIME for the present'
complete -c mem-maintain -l list -d 'say what is due and when, do nothing'
complete -c mem-maintain -l crontab -d 'print lines for crontab(5), do nothing'
complete -c mem-maintain -l backup -x -a "(__fish_complete_directories)" -d 'with --crontab: back up to DIR each night'
complete -c mem-maintain -s v -l verbose -d 'say what was done'
complete -c mem-maintain -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-maintain -s h -l help -d 'show this help'
complete -c mem-maintain -s V -l version -d 'show the version'
