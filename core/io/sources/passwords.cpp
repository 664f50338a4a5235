// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/sources/passwords.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/base/blank_text.h"

namespace tesseray {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t none = std::string_view::npos;

struct Range {
  std::size_t begin = 0, end = 0;
};

// In lower case.
bool is_word_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool names_password(std::string_view key) {
  return key == "pwd" || key == "pass" || key == "passwd" || key.ends_with("password");
}

// In the query of an address, as of "/vsicurl/https://host/city.gpkg?api_key=…": what is behind '?' and '&'.
bool names_key_of_service(std::string_view before, std::string_view key) {
  // Such names have other characters, too.
  const std::size_t separator = before.find_last_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-");
  const bool is_in_query = separator != none && (before[separator] == '?' || before[separator] == '&');
  if (!is_in_query) return false;
  if (key == "sig") return true;
  const std::string_view ends[] = {"key", "token", "signature", "secret", "authorization"};
  return std::any_of(std::begin(ends), std::end(ends), [&](std::string_view end) { return key.ends_with(end); });
}

std::size_t end_if_none(std::size_t position, std::string_view text) { return std::min(position, text.size()); }

// What stands between this pair of key and value and the next, as it stands before this one.
std::string_view separators(std::string_view before) {
  const std::size_t last = before.find_last_not_of(blanks);
  if (last == none) return blanks;
  if (before[last] == ',') return ",|";
  if (before[last] == ';') return ";|";
  if (before[last] == '?' || before[last] == '&') return "&#| ";
  // The first pair behind the driver's name.
  if (before[last] == ':' && before.substr(0, last + 1) != "pg:") return ",;|";
  return blanks;
}

// Behind the quotation mark that closes the one at `begin`: one that nothing but the next pair follows.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  const char mark = text[begin] == '{' ? '}' : text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == mark &&
               (i + 1 == text.size() || std::string_view(" \t\r\n,;&|<)").find(text[i + 1]) != none)) {
      return i + 1;
    }
  }
  return text.size();
}

// Between blanks a password that has some itself goes on to the next word that is a key.
std::size_t end_between_blanks(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  for (std::size_t word = begin; word < text.size();) {
    std::size_t word_end = word;
    while (word_end < text.size() && blanks.find(text[word_end]) == none && text[word_end] != '|') {
      word_end += text[word_end] == '\\' ? 2 : 1;
    }
    word_end = end_if_none(word_end, text);
    const std::size_t next = end_if_none(text.find_first_not_of(blanks, word_end), text);
    const bool is_key =
        text.substr(word, word_end - word).find('=') != none || (next < text.size() && text[next] == '=');
    if (word > begin && is_key) break;
    end = word_end;
    if (next < text.size() && text[next] == '|') break;
    word = next;
  }
  return end;
}

// `lower`: in lower case.
void add_values_of_keys(std::string_view lower, std::vector<Range>& found) {
  for (std::size_t equals = lower.find('='); equals != none; equals = lower.find('=', equals + 1)) {
    const std::size_t key_end = lower.find_last_not_of(blanks, equals == 0 ? 0 : equals - 1) + 1;
    std::size_t key = key_end;
    while (key > 0 && is_word_character(lower[key - 1])) --key;
    const std::string_view before = lower.substr(0, key), name = lower.substr(key, key_end - key);
    if (equals == 0 || !(names_password(name) || names_key_of_service(before, name))) continue;
    const std::size_t value = lower.find_first_not_of(blanks, equals + 1);
    if (value == none) continue;
    const bool is_quoted = std::string_view("'\"{").find(lower[value]) != none;
    const std::string_view between = names_password(name) ? separators(before) : "&#| '\"";
    const std::size_t end = is_quoted           ? end_of_quoted(lower, value)
                            : between == blanks ? end_between_blanks(lower, value)
                                                : end_if_none(lower.find_first_of(between, value), lower);
    found.push_back({value, end});
    // What stands in a password is no key.
    equals = std::max(equals, end - 1);
  }
}

// Of "scheme://user:password@host".
void add_passwords_of_uris(std::string_view text, std::vector<Range>& found) {
  for (std::size_t scheme = text.find("://"); scheme != none; scheme = text.find("://", scheme + 1)) {
    const std::size_t user = scheme + 3;
    const std::size_t source_end = end_if_none(text.find_first_of(" |", user), text);
    const std::string_view authority = text.substr(user, end_if_none(text.find_first_of("/?#", user), text) - user);
    const std::size_t colon = authority.find(':');
    if (colon == none) continue;
    const std::string_view behind = authority.substr(colon + 1);
    const bool is_port = behind.find_first_not_of("0123456789") == none;
    // A password may have a slash in it that should have been written as %2F.
    const std::size_t at =
        text.substr(0, authority.find('@') == none && !is_port ? source_end : user + authority.size()).rfind('@');
    if (at != none && at > user + colon) found.push_back({user + colon + 1, at});
  }
}

// Of "ODBC:user/password@database".
void add_passwords_behind_slashes(std::string_view lower, std::vector<Range>& found) {
  if (!lower.starts_with("odbc:") && !lower.starts_with("oci:")) return;
  const std::size_t slash = lower.find('/');
  const std::size_t at = lower.rfind('@');
  if (slash != none && at != none && slash < at) found.push_back({slash + 1, at});
}

// In order, and apart.
std::vector<Range> passwords_in(const std::string& source) {
  const std::string lower = lower_case(source);
  std::vector<Range> found;
  add_values_of_keys(lower, found);
  add_passwords_of_uris(lower, found);
  add_passwords_behind_slashes(lower, found);
  std::sort(found.begin(), found.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> apart;
  for (const Range& range : found) {
    if (range.begin >= range.end) continue;
    if (!apart.empty() && range.begin <= apart.back().end) {
      apart.back().end = std::max(apart.back().end, range.end);
    } else {
      apart.push_back(range);
    }
  }
  return apart;
}

void hide(std::string& text, std::string_view secret) {
  constexpr std::string_view instead = "…";
  for (std::size_t at = text.find(secret); at != none; at = text.find(secret, at + instead.size())) {
    text.replace(at, secret.size(), instead);
  }
}

}  // namespace

std::string without_password(const std::string& source) {
  std::string shown;
  std::size_t done = 0;
  for (const Range& password : passwords_in(source)) {
    shown += source.substr(done, password.begin - done) + "…";
    done = password.end;
  }
  return shown + source.substr(done);
}

std::string without_passwords_of(const std::string& source, const std::string& message) {
  KnownPasswords passwords;
  passwords.add_those_of(source);
  return passwords.hidden_in(without_password(message));
}

void KnownPasswords::add_those_of(const std::string& source) {
  for (const Range& password : passwords_in(source)) {
    // Word by word, since a blank that was not quoted divides it for the server. One letter is no secret, and in all
    // words.
    constexpr std::size_t shortest_secret = 2;
    for (std::size_t word = password.begin; word < password.end;) {
      const std::size_t end = std::min(source.find_first_of(" \t\r\n'\"", word), password.end);
      if (end - word >= shortest_secret) words_.push_back(source.substr(word, end - word));
      word = end + 1;
    }
  }
}

std::string KnownPasswords::hidden_in(std::string text) const {
  for (const std::string& word : words_) hide(text, word);
  return text;
}

}  // namespace tesseray
