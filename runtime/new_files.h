// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Writes files that belong together: all of them appear complete, or none does. Nothing that exists
// is replaced, and only the user who runs the process can read them.

#ifndef DETOPS_RUNTIME_NEW_FILES_H_
#define DETOPS_RUNTIME_NEW_FILES_H_

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace detops {

struct NewFile {
  std::string name;  // within its folder
  std::string_view bytes;
};

// The error number of the system, 0 for success, and the path that it is about.
struct FileError {
  int number = 0;
  std::string path = {};
};

// A folder that is open.
class Folder {
 public:
  Folder() = default;
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Opens the folder `base` and in it, one within the other, the folders `names`. Creates folders
  // that do not exist, with mode 0700. `base` may be or contain symbolic links; `names` may not,
  // because others may be able to create them in a shared working directory.
  FileError Open(const std::string& base, std::initializer_list<std::string_view> names);

  // Writes the files in this order, with mode 0600. On failure, which includes a name that is
  // taken (EEXIST), none of them exists.
  FileError Write(std::span<const NewFile> files) const;

 private:
  int folder_ = -1;
  std::string path_;
};

}  // namespace detops

#endif  // DETOPS_RUNTIME_NEW_FILES_H_
