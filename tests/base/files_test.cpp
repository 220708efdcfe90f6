#include "regatta/base/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "regatta/base/error.hpp"
#include "support/temporary_folder.hpp"

namespace regatta {
namespace {

class Files : public ::testing::Test {
 protected:
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), std::filesystem::directory_iterator()));
  }

  template <class Error>
  static std::string message_of(const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no such error";
  }

  support::TemporaryFolder folder_;
};

TEST_F(Files, AreReadBackAsTheyWereWritten) {
  const std::string bytes = std::string("zero \0 and newline \n", 20) + std::string(200000, 'x');
  write_file_atomically(folder_ / "file", bytes);
  EXPECT_EQ(read_file(folder_ / "file"), bytes);
}

TEST_F(Files, AreReadInPiecesNoFurtherThanTheLimit) {
  const std::string bytes(200000, 'x');
  write_file_atomically(folder_ / "file", bytes);
  std::size_t longest = 0;
  std::string all;
  const auto take = [&](std::string_view piece) {
    longest = std::max(longest, piece.size());
    all += piece;
  };
  read_file(folder_ / "file", bytes.size(), take);
  EXPECT_EQ(all, bytes);
  EXPECT_LT(longest, bytes.size());
  EXPECT_NE(message_of<InputError>([&] { read_file(folder_ / "file", 70000, take); }).find("larger than 70000 bytes"),
            std::string::npos);
}

TEST_F(Files, TakeTheFirstNameThatNothingHas) {
  const std::filesystem::path wanted = folder_ / "kept";
  EXPECT_EQ(unused_name(wanted), wanted);
  write_file_atomically(wanted, "");
  write_file_atomically(folder_ / "kept-2", "");
  EXPECT_EQ(unused_name(wanted), folder_ / "kept-3");
}

TEST_F(Files, ArePrivateToTheUser) {
  write_file_atomically(folder_ / "file", "secret");
  struct stat info {};
  ASSERT_EQ(::stat((folder_ / "file").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(Files, ForOthersAreReadByWhomTheUmaskLets) {
  const mode_t umask_before = ::umask(0027);
  write_file_atomically(folder_ / "group", "result", Readers::by_umask);
  ::umask(0);
  write_file_atomically(folder_ / "all", "result", Readers::by_umask);
  ::umask(umask_before);
  struct stat info {};
  ASSERT_EQ(::stat((folder_ / "group").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
  ASSERT_EQ(::stat((folder_ / "all").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0644U) << "nobody else writes it";
}

TEST_F(Files, LieInFoldersThatAreAsPrivate) {
  const mode_t umask_before = ::umask(0022);
  create_private_folder(folder_ / "results" / "a.regatta");
  ::umask(umask_before);
  EXPECT_EQ(std::filesystem::status(folder_ / "results" / "a.regatta").permissions(),
            std::filesystem::perms::owner_all);
  EXPECT_NO_THROW(create_private_folder(folder_ / "results" / "a.regatta"));
  EXPECT_NO_THROW(create_private_folder(folder_ / "results"));  // the user's, left as it is
  EXPECT_NE(std::filesystem::status(folder_ / "results").permissions(), std::filesystem::perms::owner_all);
}

TEST_F(Files, LieInFoldersThatNobodyElseWritesToWhateverTheUmask) {
  const mode_t umask_before = ::umask(0);
  create_private_folder(folder_ / "out" / "deep" / "a.regatta");
  ::umask(umask_before);
  EXPECT_EQ(std::filesystem::status(folder_ / "out").permissions(), std::filesystem::perms(0755));
  EXPECT_EQ(std::filesystem::status(folder_ / "out" / "deep").permissions(), std::filesystem::perms(0755));
}

TEST_F(Files, LieInNoFolderThatOthersDecideAbout) {
  create_private_folder(folder_ / "a.regatta");
  const auto refusal = [&](const std::filesystem::path& folder) {
    return message_of<InputError>([&] { create_private_folder(folder); });
  };
  std::filesystem::create_symlink(folder_ / "a.regatta", folder_ / "link.regatta");
  EXPECT_NE(refusal(folder_ / "link.regatta").find("link.regatta' is a link"), std::string::npos);
  EXPECT_NE(refusal(folder_ / "link.regatta" / "").find("link.regatta' is a link"), std::string::npos);
  for (const unsigned mode : {0770U, 0707U}) {
    std::filesystem::permissions(folder_ / "a.regatta", std::filesystem::perms(mode));
    EXPECT_NE(refusal(folder_ / "a.regatta").find("run `chmod go-w " + (folder_ / "a.regatta").string() + "`"),
              std::string::npos);
  }
  std::filesystem::permissions(folder_ / "a.regatta", std::filesystem::perms(0755));
  EXPECT_EQ(refusal(folder_ / "a.regatta"), "no such error");
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((folder_ / "a.regatta").c_str(), 12345, 12345), 0);
  EXPECT_NE(refusal(folder_ / "a.regatta").find("belongs to user 12345"), std::string::npos);
}

TEST_F(Files, FollowNoLinkThatSomebodyPutBeside) {
  std::ofstream(folder_ / "precious") << "precious";
  const std::string foreseen = (folder_ / "file").string() + "." + std::to_string(::getpid()) + ".tmp";
  std::filesystem::create_symlink(folder_ / "precious", foreseen);
  write_file_atomically(folder_ / "file", "bytes");
  write_result(folder_ / "file", "result");
  EXPECT_EQ(read_file(folder_ / "precious"), "precious");
  EXPECT_EQ(read_file(folder_ / "file"), "result");
  EXPECT_FALSE(std::filesystem::is_symlink(folder_ / "file"));
}

TEST_F(Files, HaveAnotherNameEachTimeUntilTheyAreWhole) {
  std::set<std::string> names;
  const auto note = [&](const ByteSink& sink) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) names.insert(entry.path().filename());
    sink("bytes");
  };
  for (int i = 0; i < 3; ++i) write_file_atomically(folder_ / "file", note);
  EXPECT_EQ(names.size(), 4U) << "file, and three names before";
}

TEST_F(Files, OfResultsReplaceALinkAndNotItsTarget) {
  std::ofstream(folder_ / "precious") << "precious";
  std::filesystem::create_symlink("precious", folder_ / "link");
  write_result(folder_ / "link", "result");
  EXPECT_EQ(read_file(folder_ / "precious"), "precious");
  EXPECT_EQ(read_file(folder_ / "link"), "result");
}

TEST_F(Files, OfResultsGoIntoAPipe) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const UniqueFd reader(::open((folder_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
  write_result(folder_ / "pipe", "result");
  std::string got(6, ' ');
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 6);
  EXPECT_EQ(got, "result");
  EXPECT_TRUE(std::filesystem::is_fifo(folder_ / "pipe"));
}

TEST_F(Files, AreNoPipes) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_NE(message_of<InputError>([&] { read_file(folder_ / "pipe"); }).find("is a pipe or a device"),
            std::string::npos);
}

TEST_F(Files, AreNoFolders) {
  write_file_atomically(folder_ / "file", "x");
  const auto replaced = [&] { create_private_folder(folder_ / "file"); };
  EXPECT_EQ(message_of<StorageError>(replaced),
            "cannot create the folder '" + (folder_ / "file").string() + "': File exists");
  const auto below = [&] { create_private_folder(folder_ / "file" / "below"); };
  EXPECT_EQ(message_of<StorageError>(below),
            "cannot create the folder '" + (folder_ / "file" / "below").string() + "': Not a directory");
}

TEST_F(Files, ReplaceAnOlderVersionAndLeaveNothingBeside) {
  write_file_atomically(folder_ / "file", "old and longer");
  write_file_atomically(folder_ / "file", "new");
  EXPECT_EQ(read_file(folder_ / "file"), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, KeepTheOldVersionForAReaderThatHasItOpen) {
  write_file_atomically(folder_ / "file", "old");
  std::ifstream reader(folder_ / "file");
  write_file_atomically(folder_ / "file", "new");
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(Files, ThatCannotBeWrittenLeaveNothingBeside) {
  std::filesystem::create_directory(folder_ / "taken");
  std::ofstream(folder_ / "taken" / "inside") << "x";
  const std::string message = message_of<StorageError>([&] { write_file_atomically(folder_ / "taken", "new"); });
  EXPECT_NE(message.find("cannot rename to '" + (folder_ / "taken").string() + "'"), std::string::npos) << message;
  EXPECT_EQ(entries(), 1U);
  EXPECT_THROW(write_file_atomically(folder_ / "nowhere" / "file", "x"), StorageError);
}

TEST_F(Files, NameThePathThatCannotBeRead) {
  const auto missing = [&] { read_file(folder_ / "missing"); };
  EXPECT_EQ(message_of<InputError>(missing),
            "cannot open '" + (folder_ / "missing").string() + "': No such file or directory");
  const auto directory = [&] { read_file(folder_.path()); };
  EXPECT_NE(message_of<InputError>(directory).find("is a folder"), std::string::npos);
}

TEST_F(Files, AreReadUpToTheLimitOnly) {
  write_file_atomically(folder_ / "file", "12345");
  EXPECT_EQ(read_file(folder_ / "file", 5), "12345");
  EXPECT_THROW(read_file(folder_ / "file", 4), InputError);
}

TEST_F(Files, GiveTheBytesFromAPlaceOnOrSayWhichOneIsMissing) {
  write_file_atomically(folder_ / "file", "12345");
  const UniqueFd fd = open_regular_file(folder_ / "file");
  EXPECT_EQ(file_size(fd, folder_ / "file", 5), 5U);
  EXPECT_NE(message_of<InputError>([&] { file_size(fd, folder_ / "file", 4); }).find("larger than 4 bytes"),
            std::string::npos);
  std::string bytes(3, ' ');
  read_at(fd, 1, std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(bytes, "234");
  EXPECT_EQ(message_of<InputError>([&] { read_at(fd, 3, std::as_writable_bytes(std::span(bytes))); }),
            "byte 5 is missing (it became shorter while it was read)");
  read_at(fd, 9, {});
}

TEST_F(Files, SyncOnlyFoldersThatExist) {
  EXPECT_NO_THROW(sync_folder(folder_.path()));
  EXPECT_NO_THROW(sync_folder(""));
  EXPECT_THROW(sync_folder(folder_ / "nowhere"), StorageError);
}

}  // namespace
}  // namespace regatta
