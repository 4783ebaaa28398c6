#include "verdicts/measured.h"

#include "results/json.h"
#include "verdicts/roofline.h"

namespace breakeven {

Measured read_measured(std::span<const std::filesystem::path> files, std::span<const FileKind> kinds,
                       std::span<const MachineLabel> labels) {
  Measured all;
  std::vector<std::filesystem::path> sources;
  std::vector<std::filesystem::path> threshold_sources;
  all.skipped =
      read_files_of(files, kinds, [&](const std::filesystem::path& file, FileKind kind, AnyFile& parsed) {
        if (kind == FileKind::threshold) {
          all.thresholds.push_back(threshold_from(parsed.document()));
          threshold_sources.push_back(file);
        } else if (kind == FileKind::verdict) {
          all.verdicts.push_back(verdicts_from(parsed.document()));
        } else {
          mark_implausible_as_read(all.results.emplace_back(parsed.result()));
          sources.push_back(file);
        }
      });
  std::vector<Host*> hosts;
  hosts.reserve(sources.size() + 3 * threshold_sources.size());
  for (Result& result : all.results) hosts.push_back(&result.host);
  for (std::size_t i = 0; i < all.thresholds.size(); ++i) {
    const auto add = [&](Host& host) {
      hosts.push_back(&host);
      sources.push_back(threshold_sources[i]);
    };
    add(all.thresholds[i].host);
    for (ThresholdContender& side : all.thresholds[i].sides) {
      if (side.host) add(*side.host);
    }
  }
  complete_identities(hosts);  // by the names of the hosts, and then by those of the machines
  take_recorded_names(hosts);
  complete_identities(hosts);
  complete_gpus(hosts);
  apply_labels(hosts, sources, labels);
  tell_machines_apart(hosts);
  return all;
}

}  // namespace breakeven
