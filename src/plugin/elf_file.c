#include "plugin/elf_file.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__LP64__)
typedef Elf64_Ehdr head;
typedef Elf64_Phdr segment;
enum { OWN_CLASS = ELFCLASS64 };
#else
typedef Elf32_Ehdr head;
typedef Elf32_Phdr segment;
enum { OWN_CLASS = ELFCLASS32 };
#endif

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__i386__)
enum { OWN_MACHINE = EM_386 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#elif defined(__arm__)
enum { OWN_MACHINE = EM_ARM };
#elif defined(__riscv)
enum { OWN_MACHINE = EM_RISCV };
#else
enum { OWN_MACHINE = EM_NONE }; /* not known: it is not compared */
#endif

static const char *machine_name(int machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "x86 of 32 bits";
    case EM_AARCH64:
      return "ARM of 64 bits";
    case EM_ARM:
      return "ARM of 32 bits";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "another kind";
  }
}

static flg_status elf_check_kind(const char *path, const head *of, flg_error *error) {
  const bool is_ours = of->e_ident[EI_CLASS] == OWN_CLASS &&
                       (OWN_MACHINE == EM_NONE || of->e_machine == OWN_MACHINE);
  if (!is_ours) {
    return flg_fail(error, FLG_ERR_INPUT,
                    "'%s' was made for processors of %s, this one is %s; build it again here", path,
                    machine_name(of->e_machine), machine_name(OWN_MACHINE));
  }
  if (of->e_type == ET_DYN) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT, "'%s' is a program or an object file, no shared library",
                  path);
}

static flg_status cut_off(const char *path, double bytes, double wanted, flg_error *error) {
  return flg_fail(error, FLG_ERR_INPUT,
                  "'%s' was cut off: it has %.0f bytes of at least %.0f; copy or build it again",
                  path, bytes, wanted);
}

/* all that the loader would map has to be there */
static flg_status check_segments(const char *path, FILE *file, const head *of, uint64_t bytes,
                                 flg_error *error) {
  for (int k = 0; k < of->e_phnum; k++) {
    segment at;
    const uint64_t start = of->e_phoff + (uint64_t)k * of->e_phentsize;
    if (start > bytes || fseek(file, (long)start, SEEK_SET) != 0 ||
        fread(&at, sizeof at, 1, file) != 1) {
      return cut_off(path, (double)bytes, (double)start + (double)sizeof at, error);
    }
    if (at.p_filesz <= bytes && at.p_offset <= bytes - at.p_filesz) continue;
    return cut_off(path, (double)bytes, (double)at.p_offset + (double)at.p_filesz, error);
  }
  return FLG_OK;
}

static flg_status check(const char *path, FILE *file, flg_error *error) {
  head of;
  struct stat info;
  memset(&of, 0, sizeof of);
  if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) return FLG_OK;
  const size_t count = fread(&of, 1, sizeof of, file);
  if (count < SELFMAG || memcmp(of.e_ident, ELFMAG, SELFMAG) != 0) return FLG_OK;
  if (count < sizeof of) return cut_off(path, (double)count, (double)sizeof of, error);
  const flg_status status = elf_check_kind(path, &of, error);
  if (status != FLG_OK) return status;
  return check_segments(path, file, &of, (uint64_t)info.st_size, error);
}

flg_status flg_elf_check(const char *path, flg_error *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return FLG_OK;
  const flg_status status = check(path, file, error);
  fclose(file);
  return status;
}
