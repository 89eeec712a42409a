// Holds the clients' table rows that belong to the parts of this server.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "base/random_number.h"
#include "cluster/part/local_part.h"
#include "cluster/rpc/function_registry.h"
#include "cluster/wire/table_messages.h"
#include "context/context.h"
#include "table/shared_table.h"

namespace gls {

class TableService : public std::enable_shared_from_this<TableService> {
 public:
  using Parts = std::map<uint32_t, std::shared_ptr<const LocalPart>>;
  // `graph` names the partition. `most_bytes` limits all tables together.
  TableService(std::shared_ptr<Context> context, uint64_t graph, Parts parts, uint64_t most_bytes)
      : context_(std::move(context)),
        graph_(graph),
        parts_(std::move(parts)),
        most_bytes_(most_bytes) {}
  ~TableService() { close(); }
  TableService(const TableService&) = delete;
  TableService& operator=(const TableService&) = delete;

  // Registers the function that clients call. The function keeps the service alive.
  Status add_to(group::FunctionTable* functions);
  // Trainers that wait for other trainers receive an error.
  void close();

 private:
  using CallHandle = std::shared_ptr<group::FunctionCall>;
  using Request = cluster::TableRequest;
  using Table = std::shared_ptr<table::SharedTable>;
  using Key = std::tuple<uint32_t, bool, size_t, std::string>;
  void answer(const CallHandle& call);
  Status answer(const CallHandle& call, const Request& request);
  Result<const GlobalIds*> ids_of(const Request& request) const;
  Result<Table> find(const Request& request) const;
  Result<Table> open(const Request& request, bool* made);
  Status reply(const CallHandle& call, const cluster::TableAnswer& answer) const;
  Status read(const CallHandle& call, const Request& request) const;
  Status write(const CallHandle& call, const Request& request) const;
  Status come(const CallHandle& call, const Request& request);
  Status wait(const CallHandle& call, const Request& request) const;
  Status withdraw(const CallHandle& call, const Request& request) const;
  // Reserves memory for what trainers send; it counts until the last reference is released.
  Result<std::shared_ptr<const void>> take_room(uint64_t bytes);
  void drop(const Request& request);

  const std::shared_ptr<Context> context_;
  const uint64_t graph_;
  const Parts parts_;
  const uint64_t most_bytes_;
  const uint64_t number_ = random_number();  // identifies this server
  std::mutex making_;                        // one table is created at a time
  mutable std::mutex mutex_;
  std::map<Key, Table> tables_;
  uint64_t bytes_ = 0;
  const std::shared_ptr<std::atomic<uint64_t>> brought_ =
      std::make_shared<std::atomic<uint64_t>>(0);
  bool closed_ = false;
};

}  // namespace gls
