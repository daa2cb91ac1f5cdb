# Completion of gsv for fish. For this shell:  gsv completion fish | source
function __gsv_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l program $typed[1]
    set -e typed[1]
    for line in ($program __complete (count $typed) $typed "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case ':*'
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c gsv -f -a '(__gsv_complete)'
