#include "commands/plan_report.h"

#include "terminal/format.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

constexpr Table::Align kRight = Table::Align::kRight;

uint64_t number(const Json& of, const char* key) { return of.at(key).get<uint64_t>(); }
std::string bytes(const Json& of, const char* key) { return format_bytes(number(of, key)); }
std::string count(const Json& of, const char* key) {
  return format_count(static_cast<int64_t>(number(of, key)));
}
std::string percent(double part) { return formatted("{:.1f} %", 100 * part); }

double part(uint64_t of, uint64_t all) {
  return static_cast<double>(of) / static_cast<double>(all > 0 ? all : 1);
}

std::string counts_text(const Json& report) {
  const auto batches = static_cast<double>(number(report.at("batches"), "planned"));
  Table table({{"sampled"},
               {"hop", kRight},
               {"total", kRight},
               {"mean of a batch", kRight},
               {"least", kRight},
               {"most", kRight}});
  for (const auto& [key, noun, first] :
       {std::tuple{"nodes", "nodes", 0}, std::tuple{"edges", "edges", 1}}) {
    for (const Json& type : report.at(key)) {
      int hop = first;
      for (const Json& of : type.at("hops")) {
        table.add({formatted("{} {}", noun, printable(type.at("type").get<std::string>())),
                   hop == 0 ? "seeds" : formatted("{}", hop), count(of, "total"),
                   formatted("{:.1f}", static_cast<double>(number(of, "total")) / batches),
                   count(of, "least"), count(of, "most")});
        ++hop;
      }
    }
  }
  return table.text();
}

std::string columns_text(const Json& report) {
  Table table({{"column"},
               {"row", kRight},
               {"size", kRight},
               {"rows in batches", kRight},
               {"different rows", kRight},
               {"read"}});
  for (const Json& of : report.at("columns")) {
    const bool planned = of.at("planned").get<bool>();
    table.add({printable(of.at("type").get<std::string>() + "." + of.at("name").get<std::string>()),
               bytes(of, "row_bytes"), bytes(of, "file_bytes"), count(of, "rows"),
               planned ? count(of, "distinct_rows") : "",
               planned                        ? "by plan"
               : number(of, "file_bytes") > 0 ? "mapped"
                                              : "in memory or served"});
  }
  return table.text();
}

std::string memory_text(const Json& report) {
  Table table({{"memory", kRight},
               {"of the data", kRight},
               {"way"},
               {"rows from disk", kRight},
               {"hotness", kRight},
               {"read", kRight},
               {"packed", kRight},
               {"temporary", kRight},
               {"disk", kRight},
               {"epoch", kRight}});
  for (const Json& of : report.at("memory")) {
    const uint64_t uses = number(of, "uses");
    table.add({bytes(of, "bytes"), percent(of.at("share").get<double>()),
               of.at("way").get<std::string>(), percent(part(number(of, "missed_rows"), uses)),
               percent(part(number(of, "hot_missed_rows"), uses)), bytes(of, "read_bytes"),
               bytes(of, "packed_bytes"), bytes(of, "temporary_bytes"),
               format_seconds(of.at("disk_seconds").get<double>()),
               format_seconds(of.at("epoch_seconds").get<double>())});
  }
  return table.text();
}

std::string disk_text(const Json& report) {
  const Json& disk = report.at("disk");
  const auto rate = [](double per_second) { return format_scaled(per_second) + "B/s"; };
  std::string out =
      formatted("disk: {} in a row", rate(disk.at("read_bytes_per_second").get<double>()));
  if (disk.at("mixed_bytes_per_second").get<double>() > 0) {
    out += formatted(", {} read and written at once",
                     rate(disk.at("mixed_bytes_per_second").get<double>()));
  }
  double best = 0;
  for (const Json& reads : disk.at("random_reads")) {
    best = std::max(best, reads.at("per_second").get<double>());
  }
  out += formatted(", {} random reads a second\n", format_scaled(best));
  const std::string folder = disk.at("temporary_folder").get<std::string>();
  out += folder.empty() ? "temporary files: no folder can hold them\n"
                        : formatted("temporary files: in {}, at most {}\n", printable(folder),
                                    bytes(disk, "temporary_bytes"));
  return out;
}

}  // namespace

std::string plan_text(const Json& report) {
  const Json& batches = report.at("batches");
  std::string out =
      formatted("epoch {}: {} of {} batches planned, {} seeds\n\n", number(report, "epoch"),
                count(batches, "planned"), count(batches, "epoch"), count(report, "seeds"));
  out += counts_text(report);
  if (!report.at("columns").empty()) {
    out += "\n" + columns_text(report);
  }
  out += formatted("\ntopology: {}; sampling takes {} with {} threads\n",
                   bytes(report, "topology_bytes"),
                   format_seconds(report.at("processor").at("sample_seconds").get<double>()),
                   number(report.at("processor"), "threads"));
  if (report.at("memory").empty()) {
    return out + "no column is in a file: nothing is read from disk\n";
  }
  return out + disk_text(report) + "\n" + memory_text(report);
}

}  // namespace gls::tool
