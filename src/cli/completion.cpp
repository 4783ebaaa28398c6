// breakeven completion SHELL: a script that completes this command line. The script asks the program itself,
// so that it offers the current options, configs and backends.
#include "cli/completion.h"

#include <iostream>
#include <map>
#include <memory>

#include "cli/named_files.h"
#include "cli/option_text.h"
#include "cli/subcommand.h"
#include "plan/suggestion.h"
#include "reports/text.h"
#include "session/discovery.h"

namespace breakeven {
namespace {

struct Completion {
  std::string word, meaning = {};
};
using Completions = std::vector<Completion>;

const Completion any_file{.word = ":files"};

Completions plain(const std::vector<std::string>& words) {
  Completions all;
  for (const std::string& word : words) all.push_back({.word = word});
  return all;
}

Completions commands(const CLI::App& app) {
  Completions all;
  for (const CLI::App* command : shown_subcommands(app))
    all.push_back({.word = command->get_name(), .meaning = command->get_description()});
  return all;
}

Completions options(const CLI::App& app) {
  Completions all;
  for (const CLI::Option* option : shown_options(app)) {
    for (const std::string& name : option->get_lnames())
      all.push_back({.word = "--" + name, .meaning = option->get_description()});
  }
  return all;
}

/// Completions for the value of an option or a positional: its choices if it has any, otherwise by the word
/// for its value, such as CONFIG.
Completions values(const CLI::App& root, const CLI::Option& option) {
  if (const auto known = choices(option); !known.empty()) return plain(known);
  const std::string word = value_word(option);
  Completions all;
  if (word == "CONFIG") {
    all = plain(names_in(named_configs()));
    all.push_back(any_file);
  } else if (word == "RESULT") {
    all = plain(named_results());
    all.push_back(any_file);
  } else if (word == "BACKENDS") {
    all = plain(names_in(find_backends(backend_folders())));
  } else if (word == "COMMAND") {
    all = commands(root);
  } else if (word == "FILE" || word == "DIR" || word == "TEXT") {
    all.push_back(any_file);
  }
  return all;
}

/// Completions that begin with `typed`. In a list with delimiters, only its last part is completed.
Completions matching(const Completions& all, const std::string& typed, char delimiter) {
  const auto comma = delimiter == '\0' ? std::string::npos : typed.rfind(delimiter);
  const std::string before = comma == std::string::npos ? "" : typed.substr(0, comma + 1);
  Completions found;
  for (const Completion& candidate : all) {
    const std::string word = before + candidate.word;
    if (candidate.word == any_file.word) {
      found.push_back(candidate);
    } else if (word.starts_with(typed)) {
      found.push_back({.word = word, .meaning = candidate.meaning});
    }
  }
  return found;
}

/// The positional that the next word fills, after `given` words: each but the last takes one word.
const CLI::Option* positional_at(const CLI::App& app, std::size_t given) {
  for (const CLI::Option* option : shown_positionals(app)) {
    if (option->get_items_expected_max() > 1 || given == 0) return option;
    --given;
  }
  return nullptr;
}

Completions complete(const CLI::App& root, std::vector<std::string> words) {
  // bash passes the = of --by=cost as a separate word.
  const bool ends_in_equals = words.size() > 1 && words.back() == "=";
  if (ends_in_equals) words.back().clear();
  std::erase(words, "=");
  if (words.empty()) return {};
  const std::string typed = words.back();
  words.pop_back();

  const CLI::App* app = &root;
  const CLI::Option* open = nullptr;  // an option that waits for its value
  std::size_t positionals = 0;
  bool only_positionals = false;
  for (const std::string& word : words) {
    if (std::exchange(open, nullptr) != nullptr) continue;
    if (!only_positionals && word == "--") {
      only_positionals = true;
    } else if (!only_positionals && word.starts_with("-")) {
      const CLI::Option* option = app->get_option_no_throw(word);
      if (option != nullptr && takes_value(*option)) open = option;
    } else {
      const auto inner = app->get_subcommands([&](const CLI::App* one) { return one->check_name(word); });
      if (inner.empty()) {
        ++positionals;
      } else {
        app = inner.front();
        positionals = 0;
      }
    }
  }
  if (open != nullptr) return matching(values(root, *open), typed, open->get_delimiter());
  if (!only_positionals && typed.starts_with("-")) {
    const auto equals = typed.find('=');
    if (equals == std::string::npos) return matching(options(*app), typed, '\0');
    const CLI::Option* option = app->get_option_no_throw(typed.substr(0, equals));
    if (option == nullptr) return {};
    Completions found = matching(values(root, *option), typed.substr(equals + 1), option->get_delimiter());
    for (Completion& candidate : found) {
      if (candidate.word != any_file.word) candidate.word = typed.substr(0, equals + 1) + candidate.word;
    }
    return found;
  }
  if (const auto inner = commands(*app); !inner.empty()) return matching(inner, typed, '\0');
  const CLI::Option* option = positional_at(*app, positionals);
  return option == nullptr ? Completions{} : matching(values(root, *option), typed, '\0');
}

constexpr const char* bash_script =
    R"(# Completion of breakeven for bash: made by `breakeven completion bash`.
_breakeven() {
  local candidate current=${COMP_WORDS[COMP_CWORD]}
  [ "$current" != = ] || current=
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    if [ "$candidate" = :files ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$current")
    else
      COMPREPLY+=("$candidate")
    fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _breakeven breakeven
)";

constexpr const char* zsh_script = R"(#compdef breakeven
# Completion of breakeven for zsh: made by `breakeven completion zsh`.
_breakeven() {
  local line word meaning want_files=
  local -a candidates
  while IFS=$'\t' read -r word meaning; do
    if [[ $word == :files ]]; then
      want_files=1
    else
      candidates+=("${word//:/\\:}${meaning:+:$meaning}")
    fi
  done < <(${~words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#candidates} )) && _describe breakeven candidates
  [[ -n $want_files ]] && _files
}
if [[ ${funcstack[1]} == _breakeven ]]; then
  _breakeven "$@"
else
  compdef _breakeven breakeven
fi
)";

constexpr const char* fish_script =
    R"(# Completion of breakeven for fish: made by `breakeven completion fish`.
function __breakeven_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c breakeven -f -a '(__breakeven_complete)'
)";

const std::map<std::string, const char*>& scripts() {
  static const std::map<std::string, const char*> all{
      {"bash", bash_script}, {"fish", fish_script}, {"zsh", zsh_script}};
  return all;
}

const SubcommandRegistration completion_command(
    {"completion", "print a script that completes this command line in a shell", [](CLI::App& command) {
       auto shell = std::make_shared<std::string>();
       command
           .add_option("SHELL", *shell,
                       "the shell; for bash, put `eval \"$(breakeven completion bash)\"` into ~/.bashrc")
           ->required()
           ->check(CLI::IsMember(scripts()));
       return [shell] {
         std::cout << scripts().at(*shell);
         return exit_code::good;
       };
     }});

}  // namespace

std::string completions_text(const CLI::App& app, const std::vector<std::string>& words) {
  constexpr std::size_t longest_meaning = 70;
  std::string text;
  for (const Completion& candidate : complete(app, words)) {
    text += candidate.word;
    if (!candidate.meaning.empty()) text += "\t" + shorten(candidate.meaning, longest_meaning);
    text += '\n';
  }
  return text;
}

}  // namespace breakeven
