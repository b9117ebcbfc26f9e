//===- Observer.h - checks and counts what kernels access -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sees every access of a kernel. Belongs to the thread that runs the workgroup.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_RUNTIME_SIM_OBSERVER_H
#define CONV_LIB_RUNTIME_SIM_OBSERVER_H

#include "Memory.h"
#include "Workgroup.h"

namespace conv::runtime::sim {

class Observer {
public:
  explicit Observer(Workgroup &group);

  // Called on the stack of a work-item; no return if the access is wrong.
  void access(WorkItem &item, const abi::Site &site, uint64_t address);
  void bufferAccess(WorkItem &item, const abi::Site &site,
                    const abi::Resource &resource, uint64_t offset,
                    uint32_t scalarOffset);

  /// An access of a whole wave, on the scheduler's stack. False after a
  /// failure.
  struct WaveAccess {
    const abi::Site *site;
    abi::SiteKind kind;
    uint32_t bytes;
    uint32_t alignment;
  };
  bool accessForWave(WorkItem &item, const WaveAccess &what, uint64_t address);

  void startWorkgroup();
  void finishWorkgroup();
  void finishSegment(Wave &wave);
  void signalBarrier(Wave &wave) { wave.hasSignalled = true; }
  void passBarrier() { ++epoch; }

private:
  /// The state of one byte of LDS.
  struct LdsByte {
    uint32_t writeEpoch; ///< 0: never written.
    uint32_t readEpoch;
    uint32_t readerWaves; ///< A bit for each, in `readEpoch`.
    uint32_t writeSegment;
    uint32_t readSegment;
    uint16_t writer; ///< Work-item.
    uint16_t reader; ///< The last work-item.
    bool isAtomic;   ///< Of the last write.
  };
  /// The record of an access until the wave's segment ends.
  struct LogEntry {
    uint32_t site;
    uint32_t occurrence;
    uint32_t lane;
    uint32_t bytes;
    uint64_t address;
    abi::SiteKind kind;
    bool isLds;
  };
  struct Request {
    const abi::Site *site;
    abi::SiteKind kind;
    uint32_t bytes;
    uint32_t alignment;
    uint64_t address;
  };

  void checkWrap(WorkItem &item, const abi::Site &site, uint32_t offset);
  bool examine(WorkItem &item, const Request &request, std::string &problem);
  bool checkLds(WorkItem &item, const Request &request, std::string &problem);
  bool checkGlobal(WorkItem &item, const Request &request,
                   std::string &problem);
  bool checkRead(const WorkItem &item, LdsByte &byte, std::string &problem);
  bool checkWrite(const WorkItem &item, LdsByte &byte, bool isAtomic,
                  std::string &problem);
  std::string describe(const WorkItem &item, const Request &request) const;
  std::string describeItem(uint32_t index) const;
  bool isInLds(uint64_t address) const;
  bool isMachineMemory(const WorkItem &item, uint64_t address,
                       uint64_t bytes) const;
  void record(const WorkItem &item, const Request &request, bool isLds);
  void countGlobal(std::vector<LogEntry>::iterator begin,
                   std::vector<LogEntry>::iterator end);
  void countLds(std::vector<LogEntry>::iterator begin,
                std::vector<LogEntry>::iterator end);

  Workgroup &group;
  const bool isChecking;
  const bool isCounting;
  const bool isIdle;       ///< Neither of them.
  uint32_t epoch = 1;      ///< Increases at every barrier.
  uint32_t groupEpoch = 1; ///< First of this workgroup.
  std::vector<LdsByte> lds;
  std::vector<LogEntry> log;
  /// Visits of the current item to a site in the current segment.
  struct Visits {
    uint32_t segment;
    uint32_t item;
    uint32_t count;
  };
  std::vector<Visits> visits;
  std::vector<MemoryBuffer *> lastBuffer; ///< By site.
};

} // namespace conv::runtime::sim

#endif // CONV_LIB_RUNTIME_SIM_OBSERVER_H
