// From JSON text to a valid Sweep, or one error that says where and what.
#pragma once

#include <filesystem>
#include <string>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Reads and validates a sweep file, which may name the environments `outside` beside its own. Throws InputError
/// "FILE:LINE: /json/pointer: found X, expected Y; did you mean Z?".
Sweep read_sweep(const std::filesystem::path& file, OutsideEnvironments outside = {});

/// The same from text; `file` names it in errors and anchors relative paths.
Sweep parse_sweep(const std::string& text, const std::filesystem::path& file, OutsideEnvironments outside = {});

/// Whether a sweep may have this "name", and what such a name is.
bool is_sweep_name(const std::string& text);
std::string sweep_name_rule();

/// For a sweep that was accepted before, perhaps on another machine: its environments need not be here.
OutsideEnvironments any_environment();

/// Replaces or adds an axis from "axis=v,v" (the command line's --set). The axis leaves what it was part of: its zip,
/// its `when`, its `include`. Throws InputError.
void set_axis(Sweep& sweep, const std::string& assignment);

/// Keeps only the points at which a parameter has one of the levels of "axis=v,v" (the command line's --only). Throws
/// InputError.
void keep_only(Sweep& sweep, const std::string& assignment);

/// Does to a sweep that was read from the same text what one of another's `changes` says: "--set batch=8,16",
/// "--only mode=graph", "--without engine=torch" (an optional level that was not found). Throws InputError.
void apply_change(Sweep& sweep, const std::string& change);

/// The axes that a record of this sweep has: those of its text and its changes, or others (early versions recorded no
/// changes) that its models, commands and zips allow. Throws InputError.
void take_recorded_axes(Sweep& sweep, std::vector<Axis> axes);

/// The parameters that tell the points of the sweep apart, each once. The axes come in file order, then the parameters
/// that only `when` and `include` name. `repeat` is not among them.
std::vector<Param> axis_params(const Sweep& sweep);

/// A word of a program's arguments as a sweep writes it where none of its braces stand for an axis.
std::string literal_word(std::string_view word);

/// The names in braces in such a word, in order, as often as they stand there.
std::vector<std::string> placeholders_of(std::string_view word);

/// A command line with `{n}` in its words replaced, and `{{n}}` by the text {n}. `{n}` and `--n={n}` are left out where
/// the axis n is absent.
std::vector<std::string> argv_with_values(const std::vector<std::string>& argv, const Parameters& parameters);

/// Whether `{name}` in the arguments of a program may be an axis of any levels. Names that say how the program is run,
/// such as engine, and those of other columns of results may not.
bool may_be_axis_of_program(std::string_view name);

/// The JSON Schema of sweep files, docs/reference/sweep.schema.json (draft 07), for editors and other programs. Only
/// the reader finds mistakes that concern more than one place of the file (a level that no axis has, a shape that does
/// not fit).
std::string sweep_schema();

}  // namespace regatta::sweep
