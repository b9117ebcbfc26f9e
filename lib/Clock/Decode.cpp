//===- Decode.cpp - a kernel of a code object -----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the kernel's symbol, its descriptor and its metadata in the ELF file,
// and disassembles the symbol's bytes. Code objects come from artifacts, so
// everything in them may be wrong, and is then an error.
//
//===----------------------------------------------------------------------===//

#include "conv/Clock/Pace.h"
#include "conv/Clock/Program.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <mutex>

using namespace conv;
using namespace conv::clock;
using ElfFile = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

static Error fail(const std::string &message) {
  return {ErrorKind::BadInput, message};
}

static Error fail(llvm::Error error) {
  return fail("expects an AMD code object, but got one of which LLVM says: " +
              llvm::toString(std::move(error)));
}

namespace {
/// LLVM's disassembler for a chip and the objects that it refers to.
class Disassembler {
public:
  static Result<std::unique_ptr<Disassembler>> create(llvm::StringRef chip);

  /// Decodes the instruction at the start of `bytes`, its length and its text.
  bool decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address,
              llvm::MCInst &instruction, uint64_t &size, std::string &text);

  bool isBranch(const llvm::MCInst &instruction) const {
    return instructions->get(instruction.getOpcode()).isBranch();
  }

private:
  llvm::Triple triple;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};
} // namespace

Result<std::unique_ptr<Disassembler>>
Disassembler::create(llvm::StringRef chip) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  auto made = std::make_unique<Disassembler>();
  made->triple = llvm::Triple("amdgcn-amd-amdhsa");
  std::string text;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(made->triple, text);
  if (!target)
    return Error{ErrorKind::System, "LLVM has no AMD target: " + text};
  made->registers.reset(target->createMCRegInfo(made->triple));
  made->assembly.reset(
      target->createMCAsmInfo(*made->registers, made->triple, {}));
  made->instructions.reset(target->createMCInstrInfo());
  // Compilers differ in whether they name halves of gfx12's registers; their
  // encodings are a superset of the others, and gfx9 has none.
  made->subtarget.reset(
      target->createMCSubtargetInfo(made->triple, chip, "+real-true16"));
  made->context = std::make_unique<llvm::MCContext>(
      made->triple, made->assembly.get(), made->registers.get(),
      made->subtarget.get());
  made->disassembler.reset(
      target->createMCDisassembler(*made->subtarget, *made->context));
  made->printer.reset(target->createMCInstPrinter(
      made->triple, /*SyntaxVariant=*/0, *made->assembly, *made->instructions,
      *made->registers));
  if (!made->disassembler || !made->printer)
    return Error{ErrorKind::System, "LLVM has no disassembler for AMD"};
  made->printer->setPrintImmHex(true);
  return made;
}

bool Disassembler::decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address,
                          llvm::MCInst &instruction, uint64_t &size,
                          std::string &text) {
  if (disassembler->getInstruction(instruction, size, bytes, address,
                                   llvm::nulls()) !=
          llvm::MCDisassembler::Success ||
      size == 0)
    return false;
  llvm::raw_string_ostream os(text);
  printer->printInst(&instruction, address, /*Annot=*/"", *subtarget, os);
  return true;
}

/// A symbol and the rest of its section from the symbol on.
struct Symbol {
  uint64_t address = 0, size = 0;
  llvm::ArrayRef<uint8_t> bytes;
};

static Result<Symbol> findSymbol(const ElfFile &file, const std::string &name) {
  for (const llvm::object::ELFSymbolRef symbol : file.symbols()) {
    llvm::Expected<llvm::StringRef> found = symbol.getName();
    if (!found) {
      llvm::consumeError(found.takeError());
      continue;
    }
    if (*found != name)
      continue;
    llvm::Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return fail(address.takeError());
    llvm::Expected<llvm::object::section_iterator> section =
        symbol.getSection();
    if (!section)
      return fail(section.takeError());
    if (*section == file.section_end())
      return fail("expects the symbol '" + name + "' in a section");
    llvm::Expected<llvm::StringRef> contents = (*section)->getContents();
    if (!contents)
      return fail(contents.takeError());
    uint64_t start = *address - (*section)->getAddress();
    if (*address < (*section)->getAddress() || start > contents->size() ||
        symbol.getSize() > contents->size() - start)
      return fail("expects the symbol '" + name + "' inside of its section");
    return Symbol{
        *address, symbol.getSize(),
        llvm::arrayRefFromStringRef(contents->substr(start, symbol.getSize()))};
  }
  return fail("expects a kernel '" + name + "', but the code has none");
}

/// An integer of the metadata, or `fallback` if it is absent.
static int64_t getInteger(llvm::msgpack::MapDocNode &map, llvm::StringRef key,
                          int64_t fallback) {
  auto found = map.find(key);
  if (found == map.end())
    return fallback;
  if (found->second.getKind() == llvm::msgpack::Type::UInt)
    return int64_t(found->second.getUInt());
  if (found->second.getKind() == llvm::msgpack::Type::Int)
    return found->second.getInt();
  return fallback;
}

static std::string getText(llvm::msgpack::MapDocNode &map,
                           llvm::StringRef key) {
  auto found = map.find(key);
  bool isText = found != map.end() &&
                found->second.getKind() == llvm::msgpack::Type::String;
  return isText ? found->second.getString().str() : "";
}

static void readKernelMetadata(llvm::msgpack::MapDocNode &kernel,
                               KernelFacts &facts) {
  facts.registers = getInteger(kernel, ".vgpr_count", 0);
  facts.sharedBytes = getInteger(kernel, ".group_segment_fixed_size", 0);
  facts.kernargBytes = getInteger(kernel, ".kernarg_segment_size", 0);
  facts.waveSize = int(getInteger(kernel, ".wavefront_size", 64));
  auto found = kernel.find(".args");
  if (found == kernel.end() || !found->second.isArray())
    return;
  for (llvm::msgpack::DocNode &node : found->second.getArray()) {
    if (!node.isMap())
      continue;
    llvm::msgpack::MapDocNode &map = node.getMap();
    facts.parameters.push_back({getInteger(map, ".offset", 0),
                                getInteger(map, ".size", 0),
                                getText(map, ".value_kind")});
  }
}

/// Reads the kernel's entry of the notes.
static Result<void> readMetadata(const ElfFile &file, const std::string &kernel,
                                 KernelFacts &facts) {
  auto sections = file.getELFFile().sections();
  if (!sections)
    return fail(sections.takeError());
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file.getELFFile().notes(section, error)) {
      if (note.getName() != "AMDGPU" ||
          note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::msgpack::Document document;
      llvm::StringRef text =
          llvm::toStringRef(note.getDesc(section.sh_addralign));
      if (!document.readFromBlob(text, /*Multi=*/false) ||
          !document.getRoot().isMap())
        continue;
      auto kernels = document.getRoot().getMap().find("amdhsa.kernels");
      if (kernels == document.getRoot().getMap().end() ||
          !kernels->second.isArray())
        continue;
      for (llvm::msgpack::DocNode &node : kernels->second.getArray())
        if (node.isMap() && getText(node.getMap(), ".name") == kernel)
          readKernelMetadata(node.getMap(), facts);
    }
    if (error)
      return fail(std::move(error));
  }
  if (facts.waveSize != 32 && facts.waveSize != 64)
    return fail("expects waves of 32 or 64 lanes, but got " +
                std::to_string(facts.waveSize));
  return {};
}

static Result<void> readDescriptor(const ElfFile &file,
                                   const std::string &kernel, const Pace &pace,
                                   KernelFacts &facts) {
  Result<Symbol> symbol = findSymbol(file, kernel + ".kd");
  if (!symbol)
    return symbol.error();
  llvm::amdhsa::kernel_descriptor_t descriptor;
  if (symbol->bytes.size() < sizeof(descriptor))
    return fail("expects a kernel descriptor of 64 bytes, but got " +
                std::to_string(symbol->bytes.size()));
  std::memcpy(&descriptor, symbol->bytes.data(), sizeof(descriptor));
  facts.kernelCodeProperties = descriptor.kernel_code_properties;
  facts.rsrc1 = descriptor.compute_pgm_rsrc1;
  facts.rsrc2 = descriptor.compute_pgm_rsrc2;
  facts.sharesProcessor =
      pace.computeUnitsOfUnit > 1 &&
      AMDHSA_BITS_GET(descriptor.compute_pgm_rsrc1,
                      llvm::amdhsa::COMPUTE_PGM_RSRC1_GFX10_PLUS_WGP_MODE);
  return {};
}

static Result<void> decodeAll(Disassembler &disassembler, const Symbol &symbol,
                              const Pace &pace, Program &program) {
  std::map<uint64_t, int> byAddress;
  std::vector<std::pair<int, uint64_t>> branches;
  for (uint64_t at = 0; at < symbol.size;) {
    llvm::MCInst decoded;
    uint64_t size = 0, address = symbol.address + at;
    std::string text;
    if (!disassembler.decode(symbol.bytes.drop_front(at), address, decoded,
                             size, text))
      return fail("expects an instruction of " + std::string(pace.chip->name) +
                  " at byte " + std::to_string(at) + " of '" + program.kernel +
                  "', but got none that LLVM knows");
    int index = int(program.code.size());
    byAddress[address] = index;
    program.code.push_back(parseInstruction(text, pace, program.seconds));
    program.code.back().address = address;
    if (disassembler.isBranch(decoded) && decoded.getNumOperands() > 0 &&
        decoded.getOperand(decoded.getNumOperands() - 1).isImm()) {
      int64_t steps =
          int16_t(decoded.getOperand(decoded.getNumOperands() - 1).getImm());
      branches.push_back({index, address + 4 + uint64_t(4 * steps)});
    }
    at += size;
  }
  for (auto [index, address] : branches)
    if (auto found = byAddress.find(address); found != byAddress.end())
      program.code[index].target = found->second;
  return {};
}

Result<Program> clock::decodeKernel(std::string_view object,
                                    const std::string &kernel,
                                    const Pace &pace) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()),
                               "code");
  auto file = ElfFile::create(buffer);
  if (!file)
    return fail(file.takeError());
  Program program;
  program.kernel = kernel;
  Result<Symbol> symbol = findSymbol(*file, kernel);
  if (!symbol)
    return symbol.error();
  Result<void> read = readMetadata(*file, kernel, program.facts);
  if (read)
    read = readDescriptor(*file, kernel, pace, program.facts);
  if (!read)
    return read.error();
  Result<std::unique_ptr<Disassembler>> disassembler =
      Disassembler::create(pace.chip->name);
  if (!disassembler)
    return disassembler.error();
  if (read = decodeAll(**disassembler, *symbol, pace, program); !read)
    return read.error();
  findLoops(program);
  return program;
}
