//===- ArtifactTest.cpp - .convpack files, good and hostile -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes files that a stranger could hand us, with libzip or by changing bytes
// of a good file. Every file must end in a message, none in a crash.
//
//===----------------------------------------------------------------------===//

#include "ExampleManifest.h"

#include "../TemporaryDirectory.h"
#include "conv/Artifact/ManifestJson.h"
#include "conv/Support/Sha256.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <zip.h>

using namespace conv;
using namespace conv::artifact;
using conv::test::makeArtifact;
using conv::test::TemporaryDirectory;

using Members = std::vector<std::pair<std::string, std::string>>;

/// A zip file with these members, whatever their names.
static std::string makeZip(const Members &members) {
  zip_source_t *source = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(source);
  zip_t *archive = zip_open_from_source(source, ZIP_TRUNCATE, nullptr);
  for (const auto &[name, bytes] : members)
    EXPECT_GE(zip_file_add(
                  archive, name.c_str(),
                  zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0),
              0);
  EXPECT_EQ(zip_close(archive), 0);
  zip_stat_t status;
  zip_source_open(source);
  zip_source_stat(source, &status);
  std::string file(status.size, '\0');
  zip_source_read(source, file.data(), file.size());
  zip_source_close(source);
  zip_source_free(source);
  return file;
}

static std::string goodFile() {
  Result<std::string> bytes = makeArtifact().bytes();
  EXPECT_TRUE(bytes);
  return *bytes;
}

/// The members of the good file, for tests to change.
static Members goodMembers() {
  Artifact artifact = makeArtifact();
  const std::string &path = artifact.manifest.entries[0].launches[0].code;
  return {{"manifest.json", *writeManifest(artifact.manifest)},
          {path, "code bytes"}};
}

static std::string errorOf(const std::string &file,
                           ErrorKind kind = ErrorKind::BadInput) {
  Result<Artifact> artifact = Artifact::parse(file, "x.convpack");
  EXPECT_FALSE(artifact);
  if (artifact)
    return "";
  EXPECT_EQ(artifact.error().kind, kind);
  return artifact.error().message;
}

static void replaceAll(std::string &text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
}

TEST(Artifact, RoundTrip) {
  TemporaryDirectory directory;
  ASSERT_TRUE(makeArtifact().write(directory.path("a.convpack")));
  Result<Artifact> artifact = Artifact::read(directory.path("a.convpack"));
  ASSERT_TRUE(artifact) << artifact.error().message;
  const Launch &launch = artifact->manifest.entries.at(0).launches.at(0);
  ASSERT_TRUE(artifact->code(launch.code));
  EXPECT_EQ(*artifact->code(launch.code), "code bytes");
  EXPECT_EQ(artifact->code("code/none"), nullptr);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"a.convpack"});
}

TEST(Artifact, SameContentSameBytes) {
  EXPECT_EQ(goodFile(), goodFile());
  // Reading and writing again changes nothing.
  EXPECT_EQ(*Artifact::parse(goodFile(), "x")->bytes(), goodFile());
}

TEST(Artifact, EqualCodeIsStoredOnce) {
  Artifact artifact = makeArtifact();
  EXPECT_EQ(artifact.addCode("same", "so"), artifact.addCode("same", "so"));
  Launch second = artifact.manifest.entries[0].launches[0];
  second.kernel = "f_1";
  artifact.manifest.entries[0].launches.push_back(second);
  std::string file = *artifact.bytes();
  EXPECT_TRUE(Artifact::parse(file, "x"));
  size_t members = 0;
  for (size_t at = 0; (at = file.find("PK\x01\x02", at)) != std::string::npos;
       ++at)
    ++members;
  EXPECT_EQ(members, 2u);
}

TEST(Artifact, PythonReadsIt) {
  TemporaryDirectory directory;
  ASSERT_TRUE(makeArtifact().write(directory.path("a.convpack")));
  directory.write("read.py", R"(
import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as pack:
    assert pack.testzip() is None
    launch = json.loads(pack.read("manifest.json"))["entries"][0]["launches"][0]
    code = pack.read(launch["code"])
    assert code == b"code bytes"
    assert hashlib.sha256(code).hexdigest() == launch["sha256"]
    for info in pack.infolist():
        assert info.date_time == (1980, 1, 1, 0, 0, 0)
)");
  std::string command = "python3 '" + directory.path("read.py") + "' '" +
                        directory.path("a.convpack") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Artifact, WritingChecksTheManifest) {
  TemporaryDirectory directory;
  Artifact artifact = makeArtifact();
  artifact.manifest.entries[0].workspaceBytes = -1;
  Result<void> result = artifact.write(directory.path("a.convpack"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("workspace_bytes"), std::string::npos);
  Artifact missing;
  missing.manifest = makeArtifact().manifest;
  result = missing.write(directory.path("a.convpack"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("which was not added"),
            std::string::npos);
  EXPECT_TRUE(directory.names().empty());
}

TEST(Artifact, FullDisk) {
  Result<void> result = makeArtifact().write("/dev/full");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::System);
}

TEST(Artifact, EveryTruncationIsAnError) {
  std::string file = goodFile();
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(Artifact::parse(file.substr(0, size), "x")) << size;
}

TEST(Artifact, EveryChangedByteIsFoundOrHarmless) {
  std::string file = goodFile(), text = goodMembers()[0].second;
  for (size_t i = 0; i < file.size(); ++i)
    for (int mask : {0x01, 0x80, 0xff}) {
      std::string changed = file;
      changed[i] = char(changed[i] ^ mask);
      if (auto artifact = Artifact::parse(changed, "x"))
        EXPECT_EQ(*writeManifest(artifact->manifest), text) << i;
    }
}

TEST(Artifact, NotAZipFile) {
  EXPECT_EQ(errorOf("not a zip file"),
            "cannot read 'x.convpack': expects a whole artifact (.convpack, a "
            "zip file), but it has no directory");
  EXPECT_NE(errorOf(makeZip({{"a", "b"}})).find("no member 'manifest.json'"),
            std::string::npos);
  Result<Artifact> missing = Artifact::read("/no/such.convpack");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "cannot read '/no/such.convpack': No such file or directory");
}

TEST(Artifact, NamesThatLeaveTheFolder) {
  for (std::string name : {"../x", "code/../../x", "/etc/x", "a\\b", "c:x",
                           "code//x", "./x", "..", "a\nb"}) {
    Members members = goodMembers();
    members.emplace_back(name, "x");
    EXPECT_NE(errorOf(makeZip(members)).find("has a name that is empty"),
              std::string::npos)
        << name;
  }
}

TEST(Artifact, NamesThatATerminalObeys) {
  Members members = goodMembers();
  members.emplace_back("\x1b[31m", "x");
  std::string file = makeZip(members);
  file[file.find("\x1b[31m")] = 'x'; // The directory also has the name.
  std::string message = errorOf(file);
  EXPECT_NE(message.find("member 2 is not where the directory has it"),
            std::string::npos)
      << message;
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

TEST(Artifact, OtherMembersAreIgnored) {
  Members members = goodMembers();
  members.emplace_back("code/", "");
  members.emplace_back("docs/notes.txt", "x");
  EXPECT_TRUE(Artifact::parse(makeZip(members), "x"));
}

TEST(Artifact, LibzipReadsIt) {
  std::string file = goodFile();
  zip_t *archive = zip_open_from_source(
      zip_source_buffer_create(file.data(), file.size(), 0, nullptr),
      ZIP_RDONLY | ZIP_CHECKCONS, nullptr);
  ASSERT_NE(archive, nullptr);
  ASSERT_EQ(zip_get_num_entries(archive, 0), 2);
  for (zip_uint64_t i = 0; i < 2; ++i) {
    zip_stat_t status;
    ASSERT_EQ(zip_stat_index(archive, i, 0, &status), 0);
    zip_file_t *member = zip_fopen_index(archive, i, 0);
    std::string content(status.size, '\0');
    EXPECT_EQ(zip_fread(member, content.data(), content.size()),
              zip_int64_t(content.size()));
    EXPECT_EQ(content, goodMembers()[i].second);
    EXPECT_EQ(zip_fclose(member), 0);
  }
  zip_discard(archive);
}

TEST(Artifact, SizesBehindTheMembers) {
  // As from a writer that does not know the sizes in advance.
  TemporaryDirectory directory;
  ASSERT_TRUE(makeArtifact().write(directory.path("a.convpack")));
  directory.write("stream.py", R"(
import sys, zipfile
class Pipe:
    def __init__(self, path): self.file = open(path, "wb")
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
with zipfile.ZipFile(sys.argv[1]) as pack, zipfile.ZipFile(Pipe(sys.argv[2]), "w", zipfile.ZIP_DEFLATED) as out:
    for name in pack.namelist():
        out.writestr(name, pack.read(name))
    out.comment = b"PK\5\6 in a comment"
)");
  std::string command = "python3 '" + directory.path("stream.py") + "' '" +
                        directory.path("a.convpack") + "' '" +
                        directory.path("b.convpack") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  Result<Artifact> artifact = Artifact::read(directory.path("b.convpack"));
  EXPECT_TRUE(artifact) << artifact.error().message;
}

TEST(Artifact, DuplicateNames) {
  Members members = goodMembers();
  members.emplace_back("manifest.jsox", "{}");
  std::string file = makeZip(members);
  replaceAll(file, "manifest.jsox", "manifest.json");
  EXPECT_EQ(errorOf(file),
            "cannot read 'x.convpack': two members have the same name, "
            "'manifest.json'");
}

TEST(Artifact, WrongDigest) {
  Members members = goodMembers();
  members[1].second = "code bytez";
  EXPECT_NE(errorOf(makeZip(members)).find("the digest of 'code/"),
            std::string::npos);
}

TEST(Artifact, MissingCode) {
  EXPECT_NE(errorOf(makeZip({goodMembers()[0]})).find("it has no member 'code"),
            std::string::npos);
}

TEST(Artifact, BadManifestIsNamedWithItsPlace) {
  Members members = goodMembers();
  replaceAll(members[0].second, "\"workspace_bytes\": 1024",
             "\"workspace_bytes\": 100");
  EXPECT_EQ(errorOf(makeZip(members)),
            "cannot read 'x.convpack': in manifest.json: "
            "entries[0].launches[0].parameters[3].workspace: expects 0 to 99, "
            "but got 256");
  members[0].second = "{\"format\": 2}";
  EXPECT_EQ(errorOf(makeZip(members), ErrorKind::Unsupported),
            "cannot read 'x.convpack': in manifest.json: format: expects 1, "
            "but got 2");
}

TEST(Artifact, ZipBombs) {
  // A manifest over its limit.
  Members members = goodMembers();
  members[0].second = std::string((1 << 28) + 1, ' ');
  EXPECT_NE(
      errorOf(makeZip(members)).find("'manifest.json' is too large to inflate"),
      std::string::npos);
  // Code that inflates 1000 times.
  std::string zeros(40 << 20, '\0');
  Artifact artifact = makeArtifact(zeros);
  std::string file =
      makeZip({{"manifest.json", *writeManifest(artifact.manifest)},
               {artifact.manifest.entries[0].launches[0].code, zeros}});
  EXPECT_LT(file.size(), 100000u);
  EXPECT_NE(errorOf(file).find("is too large to inflate: 41943040 bytes"),
            std::string::npos);
  // It is not written, either.
  Result<std::string> written = artifact.bytes();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message.find("expects the manifest and the code to "
                                         "have at most "),
            0u)
      << written.error().message;
}

/// An artifact of a large build is read again: its manifest is long.
TEST(Artifact, SevenThousandEntries) {
  Artifact artifact = makeArtifact();
  Entry entry = artifact.manifest.entries[0];
  for (int i = 1; i < 7000; ++i) {
    entry.function = "f" + std::to_string(i);
    artifact.manifest.entries.push_back(entry);
  }
  EXPECT_GT(writeManifest(artifact.manifest)->size(), size_t(1) << 24);
  Result<std::string> file = artifact.bytes();
  ASSERT_TRUE(file) << file.error().message;
  Result<Artifact> again = Artifact::parse(*file, "x");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->manifest.entries.size(), 7000u);
}

TEST(Artifact, DeclaredSizesThatLie) {
  // The uncompressed size is at offset 24 of a central and 22 of a local
  // header; both change so that they still agree.
  for (int delta : {-1, 1, 100}) {
    std::string file = goodFile();
    for (auto [magic, offset] :
         {std::pair("PK\x01\x02", 24), std::pair("PK\x03\x04", 22)})
      for (size_t at = 0; (at = file.find(magic, at)) != std::string::npos;
           ++at)
        file[at + size_t(offset)] = char(file[at + size_t(offset)] + delta);
    EXPECT_FALSE(Artifact::parse(file, "x")) << delta;
  }
}
