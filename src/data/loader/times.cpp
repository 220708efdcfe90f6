// The meaning of the loader's times.
#include <algorithm>

#include "regatta/base/error.hpp"
#include "regatta/data/loader.hpp"

namespace regatta::data {
namespace {

LoaderTimes added(LoaderTimes to, const LoaderTimes& more, int sign) {
  to.wait_seconds += sign * more.wait_seconds;
  to.consume_seconds += sign * more.consume_seconds;
  to.read_seconds += sign * more.read_seconds;
  to.decode_seconds += sign * more.decode_seconds;
  to.collate_seconds += sign * more.collate_seconds;
  to.slot_wait_seconds += sign * more.slot_wait_seconds;
  to.batches += sign * more.batches;
  return to;
}

}  // namespace

std::string_view name_of(BoundBy bound) {
  switch (bound) {
    case BoundBy::consumer:
      return "consumer";
    case BoundBy::storage:
      return "storage";
    case BoundBy::decode:
      return "decode";
    case BoundBy::collate:
      return "collate";
    case BoundBy::handover:
      return "handover";
  }
  throw InternalError("a bound of no name");
}

BoundBy bound_by(const LoaderTimes& times) {
  constexpr double noticeable = 0.01;
  constexpr double explained = 0.5;
  if (times.wait_seconds < noticeable * (times.wait_seconds + times.consume_seconds)) return BoundBy::consumer;
  const double made = times.read_seconds + times.decode_seconds + times.collate_seconds;
  if (made < explained * times.wait_seconds) return BoundBy::handover;
  if (times.read_seconds > std::max(times.decode_seconds, times.collate_seconds)) return BoundBy::storage;
  return times.decode_seconds > times.collate_seconds ? BoundBy::decode : BoundBy::collate;
}

LoaderTimes operator-(const LoaderTimes& now, const LoaderTimes& before) { return added(now, before, -1); }

LoaderTimes operator+(const LoaderTimes& some, const LoaderTimes& more) { return added(some, more, 1); }

}  // namespace regatta::data
