// The interface by which rooms that write files put facts into words. The words are in the room of reports.
#pragma once

#include <string>
#include <vector>

namespace breakeven {

struct Note;
struct Threshold;
struct ThresholdAnswer;

struct Words {
  std::string (*of_note)(const Note&);
  std::string (*of_notes)(const std::vector<Note>&);  // as one text
  std::string (*of_answer)(const ThresholdAnswer&, const Threshold&);
};

}  // namespace breakeven
