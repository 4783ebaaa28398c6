// Tests which energy counters count, in a folder like the kernel's.
#include "host/energy.h"

#include <gtest/gtest.h>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

class EnergyCounters : public testing::Test {
 protected:
  void zone(const std::string& folder, const std::string& name, const std::string& microjoules) {
    folder_.write(folder + "/name", name + "\n");
    folder_.write(folder + "/energy_uj", microjoules + "\n");
  }
  TemporaryFolder folder_;
};

TEST_F(EnergyCounters, OfPackagesAreAddedUp) {
  zone("intel-rapl:0", "package-0", "10000000");
  zone("intel-rapl:1", "package-1", "5000000");
  EXPECT_EQ(EnergyMeter(folder_.path()).joules(), 15);
}

TEST_F(EnergyCounters, OfThePlatformAndOfPartsOfAPackageDoNotCount) {
  zone("intel-rapl:0", "package-0", "10000000");
  zone("intel-rapl:0:0", "core", "7000000");
  zone("intel-rapl:1", "psys", "17000000");
  zone("intel-rapl-mmio:0", "package-0", "10000000");
  EXPECT_EQ(EnergyMeter(folder_.path()).joules(), 10);
}

TEST_F(EnergyCounters, MayBeMissing) {
  const EnergyMeter meter(folder_.path());
  EXPECT_EQ(meter.joules(), std::nullopt);
  EXPECT_NE(meter.unreadable(), "");
}

/// Docker hides /sys/devices/virtual/powercap, to which the links in /sys/class/powercap point.
TEST_F(EnergyCounters, MayBeHiddenByAContainer) {
  std::filesystem::create_symlink("hidden/intel-rapl:0", folder_.path() / "intel-rapl:0");
  const EnergyMeter meter(folder_.path());
  EXPECT_EQ(meter.joules(), std::nullopt);
  EXPECT_EQ(meter.unreadable(), (folder_.path() / "intel-rapl:0/energy_uj").string() +
                                    " cannot be read: a container hides it; docker run --privileged, or "
                                    "measure on the host");
}

TEST_F(EnergyCounters, OfAllPackagesMustBeReadable) {
  zone("intel-rapl:0", "package-0", "10000000");
  folder_.write("intel-rapl:1/name", "package-1\n");
  const EnergyMeter meter(folder_.path());
  EXPECT_EQ(meter.joules(), std::nullopt);
  EXPECT_NE(meter.unreadable().find("intel-rapl:1/energy_uj cannot be read"), std::string::npos)
      << meter.unreadable();
}

}  // namespace
}  // namespace breakeven
