#include "json/other_format.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/text.h"
#include "unit/messages.h"

namespace breakeven {
namespace {

using namespace std::string_literals;

/// JSON in another encoding: each ASCII character in `size` bytes.
std::string encoded(std::string_view text, std::size_t size, bool big_endian) {
  std::string bytes;
  for (const char c : text) {
    const std::string zeros(size - 1, '\0');
    bytes += big_endian ? zeros + c : c + zeros;
  }
  return bytes;
}

std::string error_of(const std::string& text) {
  return message_of<JsonError>([&] { (void)parse_strictly(text); });
}

TEST(OtherFormat, IsNamedWithTheRemedy) {
  constexpr std::string_view json = R"({"schema": "breakeven.result/1"})";
  const std::vector<std::pair<std::string, std::string>> files{
      {"\x1f\x8b\x08\0\0"s, "is gzip-compressed; gunzip it first"},
      {"\x28\xb5\x2f\xfd\x24"s, "is zstd-compressed; unzstd it first"},
      {"\xfd\x37zXZ\0\0\4"s, "is xz-compressed; unxz it first"},
      {"BZh91AY&SY"s, "is bzip2-compressed; bunzip2 it first"},
      {"PK\3\4\x14\0"s, "is a ZIP archive; unzip it first"},
      {std::string(257, '\0') + "ustar\0"s, "is a tar archive; unpack it first (tar -xf)"},
      {"%PDF-1.7\n%\xe2\xe3"s, "is a PDF document; is it the right file?"},
      {"\x89PNG\r\n\x1a\n\0\0"s, "is a PNG image; is it the right file?"},
      {"SQLite format 3\0\x10"s, "is an SQLite database; `breakeven history` reads those that it made"},
      {"\x7f\x45LF\x02\x01"s, "is a program or a library (ELF); is it the right file?"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:12\n",
       "is a pointer of Git LFS; `git lfs pull` brings the file"},
      {"\xff\xfe"s + encoded(json, 2, false),
       "is UTF-16 text, as PowerShell's > writes; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
      {"\xfe\xff"s + encoded(json, 2, true), "is UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
      {"\xff\xfe\0\0"s + encoded(json, 4, false),
       "is UTF-32 text; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"},
      {"\0\0\xfe\xff"s + encoded(json, 4, true),
       "is UTF-32 text; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"},
      {encoded(json, 2, false), "is UTF-16LE text; save it as UTF-8 (iconv -f UTF-16LE -t UTF-8)"},
      {encoded(json, 2, true), "is UTF-16BE text; save it as UTF-8 (iconv -f UTF-16BE -t UTF-8)"},
      {encoded(json, 4, false), "is UTF-32LE text; save it as UTF-8 (iconv -f UTF-32LE -t UTF-8)"},
      {encoded(json, 4, true), "is UTF-32BE text; save it as UTF-8 (iconv -f UTF-32BE -t UTF-8)"},
      {"", "is empty; is it the right file?"},
      {" \r\n\t\n", "is empty; is it the right file?"},
      {"\xEF\xBB\xBF\n", "is empty; is it the right file?"},
      {"\n<!DOCTYPE html>\n<html>",
       "is an HTML page; is it the right file, or what a server sent in its place?"},
      {"<HTML lang=en>", "is an HTML page; is it the right file, or what a server sent in its place?"},
      {"<?xml version='1.0'?><testsuites/>", "is XML; is it the right file?"},
      {"{\"type\": \"hello\"}\n{\"type\": \"sample\"}\n",
       "is a list of JSON documents, one on each line; give a file of one document"},
      {"# cases\nworkloads:\n  - op: matmul\n", "looks like YAML; write it as JSON"},
      {"---\n- op: matmul\n", "looks like YAML; write it as JSON"},
      {"title = \"mine\"\n[[workloads]]\n", "looks like TOML; write it as JSON"},
      {"# mine\n[measure]\nprecision = 0.01\n", "looks like TOML; write it as JSON"},
      {"id,op,seconds\nmatmul/m=8,matmul,0.1\n", "looks like CSV; give JSON"},
      {"\"id\";\"op\"\r\n\"a\";\"b\"\r\n", "looks like CSV; give JSON"},
      {"#!/bin/sh\n", "is a script; is it the right file?"},
      {"#\n# nothing\n", "holds only comments; is it the right file?"},
      {"{\"title\": \"caf\xe9\"}", "is not UTF-8 text; is it the right file, and was it saved as UTF-8?"},
      {"{}\0{}"s, "is not UTF-8 text; is it the right file, and was it saved as UTF-8?"},
      {"{}\0"s, "is not UTF-8 text; is it the right file, and was it saved as UTF-8?"},
  };
  for (const auto& [text, said] : files) {
    EXPECT_EQ(other_format(text), said);
    EXPECT_EQ(error_of(text), said);
  }
}

TEST(OtherFormat, IsNotSeenInJsonWithAMistake) {
  for (const char* text :
       {"{", "[", "{\"a\": 1,}", "[1 2]", "// a comment\n{}", "{a: 1}", "{'a': 1}", "nul", "\"a", "[[",
        "{\n\"a\": 1\n", "{\"a\": \"caf\xc3\xa9 \xef\xbf\xbd\",}", "]", "{\"a\": 1}\n}"})
    EXPECT_EQ(other_format(text), "") << text;
}

TEST(OtherFormat, IsNotLookedForInJson) {
  for (const char* text : {"{}", "[]", "1", "\"a\"", "\xEF\xBB\xBF{\"a\": 1}", "null"})
    EXPECT_EQ(error_of(text), "was accepted") << text;
}

}  // namespace
}  // namespace breakeven
