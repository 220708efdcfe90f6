// The launcher's trust in the process that reads a result file for it. That process may have been taken over by the
// file, so its answers are any bytes: here those of a good file, with lies. Results or an InputError come of it, never
// anything else (CONTRIBUTING.md).
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/results/table.hpp"
#include "report/sample_results.hpp"
#include "results/file/column_codec.hpp"
#include "results/file/file.hpp"
#include "results/file/layout.hpp"

namespace {

using namespace regatta;
using namespace regatta::results::hdf5;

constexpr AnswerBounds bounds{std::uint64_t{1} << 20, std::uint64_t{1} << 12};

using Name = std::tuple<Wanted, std::string, std::string>;

Name name_of(const Request& request) { return {request.wanted, request.group, request.name}; }

results::Results every_table() {
  results::Results made = testing_support::sample_results();
  made.contrasts.push_back(
      {BlockIndex{0}, TrialIndex{0}, TrialIndex{1}, 0.5, 0.4, 0.6, 0.01, 0.01, 30, 7, 2, "faster", "decided", "", "x"});
  made.failed_attempts.push_back({BlockIndex{0}, TrialIndex{1}, 1, sweep::FailureKind::crashed, "signal 11"});
  made.sources.push_back({"a.h5", "2026-01-02T03:04:05Z", "regatta run a.json", "0.1.0", ""});
  return made;
}

/// An honest reader's answers for a file in which every table stands.
std::map<Name, std::string> honest_replies() {
  const File file = create_in_memory();
  write_tables(file, every_table());
  std::map<Name, std::string> replies;
  read_tables([&](const Request& request) {
    std::string& bytes = replies[name_of(request)];
    Answer truth = answer(file, request);
    bytes.clear();
    send_reply(truth, [&](std::string_view more) { bytes += more; });
    return truth;
  });
  return replies;
}

/// The fuzzer's bytes, taken from the front; zeros when they are used up.
class Dice {
 public:
  Dice(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}
  template <class Number>
  Number number() {
    Number value{};
    const std::string_view taken = bytes(sizeof value);
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }
  std::string_view bytes(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  [[nodiscard]] bool is_used_up() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// One change of a reply.
void lie(std::string& reply, Dice& dice) {
  const auto kind = dice.number<std::uint8_t>() % 6;
  const std::size_t at = reply.empty() ? 0 : dice.number<std::uint16_t>() % reply.size();
  if (kind == 0 && !reply.empty()) reply[at] = static_cast<char>(reply[at] ^ dice.number<char>());
  if (kind == 1) reply.replace(at, 8, dice.bytes(8));
  if (kind == 2) reply.resize(at);
  if (kind == 3) reply.insert(at, dice.bytes(dice.number<std::uint8_t>()));
  if (kind == 4) reply = dice.bytes(dice.number<std::uint8_t>());
  if (kind == 5) reply.erase(at, dice.number<std::uint8_t>());
}

/// Answers as the launcher takes them; after so many honest ones the fuzzer has a lie told.
class Reader {
 public:
  Reader(const std::map<Name, std::string>& honest, Dice dice) : honest_(honest), dice_(dice) { plan_lie(); }

  Answer answer_to(const Request& request) {
    const auto found = honest_.find(name_of(request));
    std::string bytes = found == honest_.end() ? std::string() : found->second;
    for (; honest_left_ == 0 && !dice_.is_used_up(); plan_lie()) lie(bytes, dice_);
    --honest_left_;
    std::string_view rest = bytes;
    const auto receive = [&](void* to, std::uint64_t count) {
      if (count > rest.size()) throw InputError("the other end is gone");
      rest.copy(static_cast<char*>(to), count);
      rest.remove_prefix(count);
    };
    Reply reply = receive_reply(receive, request, bounds);
    if (const auto* refusal = std::get_if<Refusal>(&reply)) throw InputError(refusal->what);
    return std::get<Answer>(std::move(reply));
  }

 private:
  void plan_lie() { honest_left_ = dice_.number<std::uint8_t>(); }

  const std::map<Name, std::string>& honest_;
  Dice dice_;
  int honest_left_ = 0;
};

void look_at(const results::Table& table) {
  for (const results::TableColumn& column : table.columns) {
    for (const std::size_t row : table.rows) column.at(row);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::map<Name, std::string> honest = honest_replies();
  Reader reader(honest, Dice(data, size));
  try {
    const results::Results results = read_tables([&](const Request& request) { return reader.answer_to(request); });
    for (const std::string& name : results::table_names()) look_at(results::make_table(results, name));
  } catch (const InputError&) {  // a lie ends so
  }
  return 0;
}
