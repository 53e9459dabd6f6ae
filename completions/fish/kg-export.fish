# Made by scripts/completions; do not edit.
complete -c kg-export -f
complete -c kg-export -s S -l store -x -a "(__fish_complete_directories)" -d 'use the store in DIR'
complete -c kg-export -l agent -x -d 'act as this agent'
complete -c kg-export -l format -x -a "taxonomy json graphml csv dot html svg" -d 'what is written: taxonomy, json, graphml, csv, dot, html or svg'
complete -c kg-export -l kind -x -d 'only these kinds'
complete -c kg-export -l edge -x -d 'only edges of these kinds'
complete -c kg-export -l orphans -d 'nodes without an edge, too'
complete -c kg-export -l ns -x -d 'only these namespaces'
complete -c kg-export -l wait -x -d 'wait so long for another writer (default 10s)'
complete -c kg-export -l every-namespace -d 'all namespaces (operators)'
complete -c kg-export -l now -x -d 'take TIME for the present'
complete -c kg-export -s h -l help -d 'show this help'
complete -c kg-export -s V -l version -d 'show the version'
