// The functions of cuDNN that the engine calls, half fake: shapes and operations are checked, by the real library too
// where that is ordered; engines, plans and their runs are this folder's.
#include <algorithm>
#include <array>
#include <cstring>

#include "support/cuda/cudnn/answers.hpp"
#include "support/cuda/cudnn/compute.hpp"
#include "support/cuda/cudnn/state.hpp"
#include "support/cuda/runtime/enqueue.hpp"

namespace regatta::cuda_fakes::cudnn {

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

cudnnStatus_t answered(const char* call, const Answer& answer) {
  if (answer.is_good()) return CUDNN_STATUS_SUCCESS;
  state().last_error = answer.why;
  const bool is_ordinary = answer.status / 1000 * 1000 == CUDNN_STATUS_NOT_SUPPORTED;  // the next engine is asked then
  if (!is_ordinary) refuse(std::string(call) + ": " + answer.why);
  return answer.status;
}

/// Runs the body of a call, unless a fault was ordered for it.
template <class Body>
cudnnStatus_t call(const char* name, const Body& body) {
  const Lock lock(state().mutex);
  state().last_error.clear();
  if (const int ordered = ordered_fault(name)) {
    return answered(name, {static_cast<cudnnStatus_t>(ordered), "by order of the test"});
  }
  return answered(name, body());
}

Answer real_answer(const engine::cuda::CudnnLibrary& real, cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS) return {};
  std::array<char, 2048> text{};
  real.last_error_string(text.data(), text.size());
  return {status, std::string("cuDNN: ") + text.data()};
}

/// Null where nobody made it, or it was destroyed.
Shared find(cudnnBackendDescriptor_t descriptor) {
  const auto found = state().descriptors.find(descriptor);
  return found == state().descriptors.end() ? nullptr : found->second;
}

const Answer kUnknown{CUDNN_STATUS_BAD_PARAM, "no descriptor, or one that was destroyed"};

std::size_t get_version() { return state().orders.version; }

const char* error_string(cudnnStatus_t status) {
  switch (status / 1000 * 1000) {
    case 0:
      return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return status == CUDNN_STATUS_NOT_INITIALIZED ? "CUDNN_STATUS_NOT_INITIALIZED" : "CUDNN_STATUS_INTERNAL_ERROR";
  }
}

void last_error_string(char* message, std::size_t room) {
  const Lock lock(state().mutex);
  std::strncpy(message, state().last_error.c_str(), room);
  if (room > 0) message[room - 1] = '\0';
}

cudnnStatus_t create(cudnnHandle_t* handle) {
  return call("cudnnCreate", [&]() -> Answer {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      return {CUDNN_STATUS_NOT_INITIALIZED, "there is no device"};
    }
    *handle = new cudnnContext;
    state().handles.insert(*handle);
    return {};
  });
}

cudnnStatus_t destroy(cudnnHandle_t handle) {
  return call("cudnnDestroy", [&]() -> Answer {
    if (state().handles.erase(handle) == 0) return {CUDNN_STATUS_BAD_PARAM, "no handle"};
    for (const auto& [raw, descriptor] : state().descriptors) {
      if (descriptor->one<cudnnHandle_t>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE) == handle) {
        complain("cudnnDestroy: a plan of the handle is still there");
        break;
      }
    }
    delete handle;
    return {};
  });
}

cudnnStatus_t set_stream(cudnnHandle_t handle, cudaStream_t stream) {
  return call("cudnnSetStream", [&]() -> Answer {
    if (!state().handles.contains(handle)) return {CUDNN_STATUS_BAD_PARAM, "no handle"};
    handle->stream = stream;
    return {};
  });
}

cudnnStatus_t create_descriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* descriptor) {
  return call("cudnnBackendCreateDescriptor", [&]() -> Answer {
    if (name_of(type) == nullptr) return {CUDNN_STATUS_NOT_SUPPORTED, "the fake does not know this kind of descriptor"};
    const auto made = std::make_shared<Descriptor>(Descriptor{type});
    const auto* const real = real_library();
    if (real != nullptr && is_forwarded(type)) {
      const Answer answer = real_answer(*real, real->create_descriptor(type, &made->real));
      if (!answer.is_good()) return answer;
    }
    *descriptor = made.get();
    state().descriptors[*descriptor] = made;
    return {};
  });
}

cudnnStatus_t destroy_descriptor(cudnnBackendDescriptor_t descriptor) {
  return call("cudnnBackendDestroyDescriptor", [&]() -> Answer {
    const Shared found = find(descriptor);
    if (found == nullptr) return kUnknown;
    found->is_destroyed = true;
    if (found->real != nullptr && state().real) state().real->destroy_descriptor(found->real);
    found->real = nullptr;
    state().descriptors.erase(descriptor);
    return {};
  });
}

/// Children that `values` points to; null: one of them is none.
std::optional<std::vector<Shared>> children_of(std::int64_t count, const void* values) {
  std::vector<Shared> all;
  for (std::int64_t i = 0; i < count; ++i) {
    all.push_back(find(static_cast<const cudnnBackendDescriptor_t*>(values)[i]));
    if (all.back() == nullptr) return {};
  }
  return all;
}

Answer set_children(Descriptor& descriptor, cudnnBackendAttributeName_t name, std::int64_t count, const void* values) {
  const auto children = children_of(count, values);
  if (!children) return kUnknown;
  std::vector<cudnnBackendDescriptor_t> real;
  for (const Shared& child : *children) {
    if (!child->is_finalized)
      return {CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "a descriptor given to it is not finalized"};
    real.push_back(child->real);
  }
  descriptor.put(name, *children);
  if (descriptor.real == nullptr) return {};
  const auto& library = *state().real;
  return real_answer(library,
                     library.set_attribute(descriptor.real, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, real.data()));
}

cudnnStatus_t set_attribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, std::int64_t count, const void* values) {
  return call("cudnnBackendSetAttribute", [&]() -> Answer {
    const Shared found = find(descriptor);
    if (found == nullptr) return kUnknown;
    if (Answer answer = may_set(*found, name, type, count); !answer.is_good()) return answer;
    if (values == nullptr) return {CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no values"};
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) return set_children(*found, name, count, values);
    const auto* const bytes = static_cast<const std::byte*>(values);
    found->values[name] = {type, count, {bytes, bytes + static_cast<std::size_t>(count) * size_of(type)}, {}};
    if (found->real == nullptr || type == CUDNN_TYPE_HANDLE) return {};
    return real_answer(*state().real, state().real->set_attribute(found->real, name, type, count, values));
  });
}

cudnnStatus_t get_attribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, std::int64_t room, std::int64_t* count, void* values) {
  return call("cudnnBackendGetAttribute", [&]() -> Answer {
    const Shared found = find(descriptor);
    if (found == nullptr) return kUnknown;
    std::vector<Shared> made;
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR && values != nullptr) {
      const auto children = children_of(room, values);
      if (!children) return kUnknown;
      made = *children;
    }
    return tell(*found, {name, type, values == nullptr ? 0 : room, count, values, made});
  });
}

cudnnStatus_t finalize(cudnnBackendDescriptor_t descriptor) {
  return call("cudnnBackendFinalize", [&]() -> Answer {
    const Shared found = find(descriptor);
    if (found == nullptr) return kUnknown;
    if (Answer answer = may_finalize(*found); !answer.is_good()) return answer;
    if (found->real != nullptr) {
      const Answer answer = real_answer(*state().real, state().real->finalize(found->real));
      if (!answer.is_good()) return answer;
    }
    found->is_finalized = true;
    return {};
  });
}

/// Whether nothing that the descriptor rests on was destroyed by the caller.
bool is_whole(const Descriptor& descriptor) {
  if (descriptor.is_destroyed) return false;
  for (const auto& [name, value] : descriptor.values) {
    if (!std::all_of(value.descriptors.begin(), value.descriptors.end(),
                     [](const Shared& child) { return is_whole(*child); })) {
      return false;
    }
  }
  return true;
}

Answer find_pointers(const Problem& problem, const Descriptor& pack, Pointers& pointers) {
  const auto ids = pack.all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto given = pack.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  pointers.workspace = pack.one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  const std::array<std::pair<const Tensor*, const void**>, 3> wanted{
      {{&problem.x, &pointers.x}, {&problem.w, &pointers.w}, {&problem.y, &pointers.y}}};
  for (const auto& [tensor, pointer] : wanted) {
    const auto id = std::find(ids.begin(), ids.end(), tensor->id);
    if (id == ids.end()) return {CUDNN_STATUS_BAD_PARAM, "the variant pack lacks a tensor"};
    *pointer = given[static_cast<std::size_t>(id - ids.begin())];
    if (*pointer == nullptr) return {CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a tensor has no memory"};
    if (reinterpret_cast<std::uintptr_t>(*pointer) % static_cast<std::uintptr_t>(tensor->alignment) != 0) {
      return {CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, "a tensor is aligned to less than it says"};
    }
  }
  return {};
}

std::size_t bytes_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.count()) * (tensor.type == CUDNN_DATA_BFLOAT16 ? 2 : 4);
}

Work work_of(const Problem& problem, const Configuration& configuration, const Pointers& pointers) {
  const auto range = [&](const Tensor& tensor, const void* memory, const char* what) {
    return Range{memory, bytes_of(tensor), &tensor == &problem.result(), what};
  };
  const auto workspace = static_cast<std::size_t>(workspace_of(configuration, problem));
  Work work{.name = "cudnnBackendExecute", .kind = WorkKind::convolution};
  const std::uint64_t turn = state().turn++;
  work.run = [=] { compute(problem, configuration, pointers, turn); };
  work.ranges = {range(problem.x, pointers.x, "x"), range(problem.w, pointers.w, "kernel"),
                 range(problem.y, pointers.y, "y")};
  if (workspace > 0) work.ranges.push_back({pointers.workspace, workspace, true, "workspace"});
  work.flop = problem.flop();
  for (const Range& one : work.ranges) work.bytes += static_cast<std::int64_t>(one.bytes);
  work.seconds = seconds_of(configuration, problem);
  return work;
}

cudnnStatus_t execute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t variant_pack) {
  return call("cudnnBackendExecute", [&]() -> Answer {
    const Shared made = find(plan);
    const Shared pack = find(variant_pack);
    if (made == nullptr || pack == nullptr || !is_whole(*made)) return kUnknown;
    if (!state().handles.contains(handle)) return {CUDNN_STATUS_BAD_PARAM, "no handle"};
    if (!made->is_finalized || !pack->is_finalized) return {CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "not finalized"};
    if (handle->stream == nullptr) complain("cudnnBackendExecute on the legacy default stream");
    const bool is_captured = is_capturing(handle->stream);
    if (is_captured && !made->was_run) {
      complain("a plan of cuDNN is run for the first time in a capture (its kernels may be loaded then)");
    }
    const Descriptor& chosen = *made->child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    const Problem problem = problem_of_configuration(chosen);
    const Configuration configuration = configuration_of(chosen);
    Pointers pointers{};
    if (Answer answer = find_pointers(problem, *pack, pointers); !answer.is_good()) return answer;
    if (configuration.engine == kFailing) return {CUDNN_STATUS_EXECUTION_FAILED, "the engine cannot be launched"};
    const cudaError_t error = enqueue(handle->stream, work_of(problem, configuration, pointers));
    if (error != cudaSuccess) return {CUDNN_STATUS_EXECUTION_FAILED_CUDART, cudaGetErrorString(error)};
    made->was_run = true;
    return {};
  });
}

}  // namespace

}  // namespace regatta::cuda_fakes::cudnn

namespace regatta::engine::cuda {

OpenedCudnn open_cudnn() {
  namespace fake = cuda_fakes::cudnn;
  if (!fake::orders().missing.empty()) return {{}, fake::orders().missing};
  return {CudnnLibrary{.get_version = fake::get_version,
                       .error_string = fake::error_string,
                       .last_error_string = fake::last_error_string,
                       .create = fake::create,
                       .destroy = fake::destroy,
                       .set_stream = fake::set_stream,
                       .create_descriptor = fake::create_descriptor,
                       .destroy_descriptor = fake::destroy_descriptor,
                       .set_attribute = fake::set_attribute,
                       .get_attribute = fake::get_attribute,
                       .finalize = fake::finalize,
                       .execute = fake::execute},
          ""};
}

}  // namespace regatta::engine::cuda
