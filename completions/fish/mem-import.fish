# Made by scripts/completions; do not edit.
complete -c mem-import -f
complete -c mem-import -l rename -x -d 'take what is of OLD in as NEW'\''s, as agent:ada=agent:bob; may be given again'
complete -c mem-import -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c mem-import -l agent -x -d 'act as this agent'
complete -c mem-import -s q -l quiet -d 'print refusals only'
complete -c mem-import -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c mem-import -l every-namespace -d 'all namespaces (operators)'
complete -c mem-import -l now -x -d 'take TIME for the present'
complete -c mem-import -l format -x -a "auto json text" -d 'auto, json or text'
complete -c mem-import -s h -l help -d 'show this help'
complete -c mem-import -s V -l version -d 'show the version'
