#!/usr/bin/env bash
# What the scripts of this folder share: each of them sources it. They run twice: first where they are called, to submit
# jobs to Slurm, and then in each job, with a step's name as their first argument. The repository, the program and the
# results must be on a file system that all nodes share.
# shellcheck disable=SC2034  # some variables are for those that source this

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
script=$root/scripts/slurm/$(basename "$(readlink -f "$0")")
driver='' folder='' waiting=()
sbatch_options=() last_options=(--nodes=1 --ntasks=1) run_options=()

say() { printf '%s: %s\n' "$(basename "$script")" "$*" >&2; }
fail() {  # fail STATUS MESSAGE
  say "$2"
  exit "$1"
}

show_help() {  # the comment at the script's beginning
  sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$script"
  exit 0
}

# Reads the options before the config, which sets `config` and `nodes`, and leaves the other arguments in `arguments`.
read_own_options() {  # read_own_options MESSAGE ARGUMENT...: the message is for when config or nodes are missing
  local missing=$1
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help) show_help ;;
      --driver | --folder)
        [ $# -gt 1 ] || fail 2 "$1: needs a value"
        if [ "$1" = --driver ]; then driver=$2; else folder=$2; fi
        shift 2
        ;;
      --wait) waiting=(--wait) && shift ;;
      -*) fail 2 "$1: is no option of this script; those of sbatch come after the other arguments. See --help" ;;
      *) break ;;
    esac
  done
  [ $# -ge 2 ] && [ "$2" != -- ] || fail 2 "$missing; see --help"
  config=$1 nodes=$2 arguments=("${@:3}")
}

# Divides what comes last: options of sbatch, and after -- those of `breakeven run`. The job that joins results needs no
# whole node, so it only gets the options that say whose it is and where it may run.
read_other_options() {
  local short='-[pAqMt]' long='--(partition|account|qos|clusters|reservation|time)'
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    sbatch_options+=("$1")
    if [[ $1 =~ ^($short.+|$long=.*)$ ]]; then
      last_options+=("$1")
    elif [[ $1 =~ ^($short|$long)$ ]] && [ $# -gt 1 ]; then
      last_options+=("$1" "$2")
      sbatch_options+=("$2")
      shift
    fi
    shift
  done
  run_options=("${@:2}")
}

check_config() {  # check_config CONFIG [OPTION OF list...]: sets `name`, that of the results
  local wanted=${driver:-$root/build/breakeven} program
  program=$(type -P -- "$wanted") || { [ -z "$driver" ] && program=$(type -P breakeven); } ||
    fail 2 "$wanted: there is no such program; build it with scripts/quickstart, or name a built one with --driver"
  driver=$(readlink -f "$program")
  "$driver" list "$@" >/dev/null || fail 2 "breakeven cannot read the config or divide it; what is above says why"
  name=$(basename "$1" .json)
}

# Sets `folder`, where this script's files go, as an absolute path.
make_folder() {
  while [ -z "$folder" ]; do
    folder=$name-$(date +%Y-%m-%d-%H%M%S)
    [ ! -e "$folder" ] || { folder='' && sleep 0.2; }
  done
  mkdir -p -- "$folder" || fail 2 "--folder $folder: cannot be made; name one on a file system that all nodes share"
  folder=$(cd -- "$folder" && pwd -P)
}

check_slurm() {
  command -v sbatch >/dev/null ||
    fail 2 "there is no sbatch here; run this where jobs are submitted to Slurm, or run \`breakeven run\` without it"
}

# Submits a job that runs this script again, and prints the job's number. The job calls it by its path, because Slurm
# runs a copy of what is submitted, which has nothing beside it.
submit() {  # submit OPTION OF sbatch... -- STEP ARGUMENT...
  local options=() id
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  id=$(sbatch --parsable --open-mode=append "${options[@]}" <<<"#!/usr/bin/env bash
exec ${script@Q} ${*@Q}") || return
  printf '%s\n' "${id%%;*}"  # ID;CLUSTER where there are several clusters
}
refused="sbatch refused the job; what is above says why"

# A whole node for each job, because neighbours spoil timings. --exclusive gives all CPUs and GPUs of a node, and only
# --mem=0 all of its memory. One task starts the program, which has the node's CPUs; `srun` would leave it one of them.
whole_node=(--nodes=1 --ntasks=1 --exclusive --mem=0)

# Runs a step, if Slurm called this script: `shards --run-merge ...` runs the function run_merge.
run_step() {
  [[ ${1:-} == --run-* ]] || return 0
  local step=${1#--}
  [ -n "${SLURM_JOB_ID:-}" ] || fail 2 "$1: is a step that Slurm runs; see --help for how to submit it"
  "${step//-/_}" "${@:2}"
  exit
}

# Measures into a file, or continues the one that an earlier attempt left there: Slurm starts a job again if its node
# failed. A file of another machine cannot be continued.
measure() {  # measure FILE CONFIG OPTION OF run...
  local file=$1 status=0
  shift
  trap : TERM INT HUP  # Slurm signals this shell, too; it waits until the program has saved what was measured
  if [ -e "$file" ]; then
    "$driver" run "$@" --resume "$file" || status=$?
    [ "$status" = 2 ] || return "$status"
    say "measuring from the start; the earlier file is kept as $(basename "$file" .json).previous.json"
    status=0
  fi
  "$driver" run "$@" --out "$file" || status=$?
  return "$status"
}
is_complete() { grep -qsE '^ *"complete": *true' "$1"; }
