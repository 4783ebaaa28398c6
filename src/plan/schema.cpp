#include "plan/schema.h"

#include <fmt/format.h>

#include <utility>

#include "plan/config.h"
#include "plan/suggestion.h"
#include "results/metric.h"

namespace breakeven {
namespace {

using Kind = Parameter::Kind;

Json integer_or_number(double value, Kind kind) {
  if (kind == Kind::integer) return static_cast<std::int64_t>(value);
  return value;
}

Json to_json(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

/// The schema of a single value of a parameter.
Json value_schema(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::integer:
      return {{"type", "integer"},
              {"minimum", integer_or_number(parameter.minimum, parameter.kind)},
              {"maximum", integer_or_number(parameter.maximum, parameter.kind)}};
    case Kind::number:
      return {{"type", "number"},
              {parameter.minimum_allowed ? "minimum" : "exclusiveMinimum", parameter.minimum},
              {"maximum", parameter.maximum}};
    case Kind::boolean:
      return {{"type", "boolean"}};
    case Kind::choice:
      return {{"enum", parameter.choices}};
    case Kind::text:
      return {{"type", "string"}};
  }
  return {};
}

Json described(const Parameter& parameter, const Json& schema) {
  Json whole{{"description", parameter.meaning}};
  if (parameter.default_value) whole["default"] = to_json(*parameter.default_value);
  whole.update(schema);
  return whole;
}

/// The schemas under $defs, which other schemas refer to by name.
class Definitions {
 public:
  /// Adds a schema and returns a reference to it.
  Json add(const std::string& name, Json schema) {
    all_[name] = std::move(schema);
    return {{"$ref", "#/$defs/" + name}};
  }
  Json take() { return std::move(all_); }

 private:
  Json all_ = Json::object();
};

/// The name of the schema of a parameter's values, such as `integer_1_to_64`. Parameters with the same values
/// share it.
std::string values_name(const Parameter& parameter) {
  if (parameter.kind == Kind::boolean) return "boolean";
  const bool integer = parameter.kind == Kind::integer;
  return fmt::format("{}_{}{}_to_{}", integer ? "integer" : "number",
                     integer || parameter.minimum_allowed ? "" : "above_", parameter.minimum,
                     parameter.maximum);
}

/// The schema of a range of values. `bound` is the schema of a value.
Json range_schema(const Parameter& parameter, const Json& bound, Definitions& definitions) {
  const std::string type = parameter.kind == Kind::integer ? "integer" : "number";
  Json range =
      definitions.add(type + "_range", {{"type", "object"},
                                        {"properties",
                                         {{"from", Json::object()},
                                          {"to", Json::object()},
                                          {"factor", {{"type", "number"}, {"exclusiveMinimum", 1}}},
                                          {"step", {{"type", type}, {"exclusiveMinimum", 0}}}}},
                                        {"additionalProperties", false},
                                        {"required", {"from", "to"}},
                                        {"oneOf", {{{"required", {"factor"}}}, {{"required", {"step"}}}}}});
  range["properties"] = {{"from", bound}, {"to", bound}};
  return range;
}

/// The schema of an object with no other properties than these.
Json object_schema(std::string_view description, const Json& properties, const Json& required = {}) {
  Json schema{{"description", description},
              {"type", "object"},
              {"properties", properties},
              {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

/// The schema of a value or a list of values.
Json listed_schema(Json value) {
  return {{"anyOf", {value, {{"type", "array"}, {"minItems", 1}, {"items", value}}}}};
}

/// The schema of a swept parameter: a value, a list of values or, for numbers, a range; the names of other
/// parameters may replace values. `names` is the schema of the names of the workload's parameters.
Json swept_schema(const std::string& op, const Parameter& parameter, const Json& names,
                  Definitions& definitions) {
  if (parameter.kind == Kind::choice || parameter.kind == Kind::text)
    return described(parameter, listed_schema(value_schema(parameter)));
  const std::string values = values_name(parameter);
  const Json value = definitions.add(values, value_schema(parameter));
  const Json item{{"anyOf", {value, names}}};
  Json forms{{"anyOf", {value, names, {{"type", "array"}, {"minItems", 1}, {"items", item}}}}};
  if (parameter.kind != Kind::boolean)
    forms["anyOf"].push_back(
        definitions.add("range_of_" + values, range_schema(parameter, value, definitions)));
  Json whole = described(parameter, definitions.add(op + "." + values, forms));
  const Json itself{{"const", parameter.name}};
  whole["not"] = {{"anyOf", {itself, {{"type", "array"}, {"contains", itself}}}}};
  return whole;
}

Json workload_schema(const Workload& workload, Definitions& definitions) {
  const std::string op(workload.op());
  const Json others = definitions.add(op + ".parameter", {{"description", "the value of that parameter"},
                                                          {"enum", names_in(workload.parameters())}});
  Json properties{{"op", {{"const", workload.op()}}},
                  {"shapes",
                   {{"description", "a file of problems, relative to this one: its columns are parameters"},
                    {"type", "string"},
                    {"minLength", 1}}}};
  properties["weight"] = {
      {"description", "how often each of the cases runs, of a mix that machines are ranked by"},
      {"type", "number"},
      {"exclusiveMinimum", 0},
      {"default", 1}};
  properties["or_dtype"] = {{"description", "dtypes that are acceptable, too, where machines are ranked"},
                            {"type", "array"},
                            {"minItems", 1},
                            {"uniqueItems", true},
                            {"items", value_schema(*find_parameter(workload.parameters(), "dtype"))}};
  Json needed = Json::array({"op"});
  for (const Parameter& parameter : workload.parameters()) {
    properties[parameter.name] = swept_schema(op, parameter, others, definitions);
    if (!parameter.default_value) needed.push_back(parameter.name);
  }
  Json schema = object_schema(workload.meaning(), properties);
  schema["anyOf"] = {{{"required", needed}}, {{"required", {"op", "shapes"}}}};
  return schema;
}

Json measure_schema() {
  Json properties = Json::object();
  for (const Parameter& parameter : measure_parameters())
    properties[parameter.name] = described(parameter, value_schema(parameter));
  return object_schema("how cases are measured", properties);
}

Json backends_schema() {
  return {{"type", "array"},
          {"minItems", 1},
          {"uniqueItems", true},
          {"items", {{"type", "string"}, {"pattern", "^[A-Za-z0-9][A-Za-z0-9._+-]*$"}}}};
}

Json price_schema() {
  const Json text{{"type", "string"}, {"minLength", 1}};
  return object_schema("of this side, which is what its runs cost",
                       {{"per_hour", {{"type", "number"}, {"exclusiveMinimum", 0}}},
                        {"currency", text},
                        {"source", {{"description", "who says so"}, {"type", "string"}, {"minLength", 1}}},
                        {"date", {{"type", "string"}, {"pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}}}},
                       {"per_hour", "currency", "source", "date"});
}

Json threshold_side_schema(const char* description) {
  return object_schema(
      description,
      {{"backends", backends_schema()},
       {"threads",
        {{"description", "of CPU backends; without it, all cores"}, {"type", "integer"}, {"minimum", 1}}},
       {"parameters",
        {{"description", "what this side has in place of the workload's values"},
         {"type", "object"},
         {"additionalProperties", {{"type", Json::array({"string", "number", "boolean"})}}}}},
       {"price", price_schema()}},
      {"backends"});
}

Json threshold_section() {
  const Json choices = all_names<Metric>();
  return object_schema(
      "what `breakeven threshold` looks for; `run` measures the workloads as they are",
      {{"parameter",
        {{"description", "whose value is looked for; each workload has a range of it"},
         {"type", "string"},
         {"minLength", 1}}},
       {"in",
        {{"description", "what is compared; cost needs the price of either side"},
         {"anyOf",
          {{{"enum", choices}},
           {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", {{"enum", choices}}}}}},
         {"default", "time"}}},
       {"multiple",
        {{"description", "values are multiples of this, but for the ends of a range"},
         {"type", "integer"},
         {"minimum", 1},
         {"default", 1}}},
       {"width",
        {{"description", "of a 95 % interval that is narrow enough, as a fraction"},
         {"type", "number"},
         {"exclusiveMinimum", 0},
         {"exclusiveMaximum", 1},
         {"default", 0.04}}},
       {"baseline", threshold_side_schema("at every value the fastest of these")},
       {"challenger", threshold_side_schema("and of these; from which value on are they faster?")},
       {"unlike_precision",
        {{"description", "the sides may compute in different types"},
         {"type", "boolean"},
         {"default", false}}}},
      {"parameter", "baseline", "challenger"});
}

}  // namespace

std::string config_schema() {
  Json ops = Json::array();
  Json by_op = Json::array();
  Definitions definitions;
  for (const auto& workload : workloads()) {
    const std::string op(workload->op());
    ops.push_back(op);
    by_op.push_back({{"if", {{"properties", {{"op", {{"const", op}}}}}}},
                     {"then", definitions.add(op, workload_schema(*workload, definitions))}});
  }
  Json described_backends{{"description", "names of backends; without this key, every contender found"}};
  described_backends.update(backends_schema());
  const Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "breakeven config"},
      {"type", "object"},
      {"properties",
       {{"$schema", {{"type", "string"}}},
        {"title", {{"description", "the question that it answers"}, {"type", "string"}, {"minLength", 1}}},
        {"asks", described(asks_parameter(), value_schema(asks_parameter()))},
        {"backends", described_backends},
        {"measure", measure_schema()},
        {"threshold", threshold_section()},
        {"workloads",
         {{"description", "what to run; each entry stands for all combinations of its values"},
          {"type", "array"},
          {"minItems", 1},
          {"items",
           {{"type", "object"},
            {"required", {"op"}},
            {"properties", {{"op", {{"enum", ops}}}}},
            {"allOf", by_op}}}}}}},
      {"additionalProperties", false},
      {"required", {"workloads"}},
      {"$defs", definitions.take()}};
  return schema.dump(2) + "\n";
}

}  // namespace breakeven
