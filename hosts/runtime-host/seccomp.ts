import { endianness } from "node:os";

/**
 * Returns the seccomp filter of every sandbox, as the bytes for `bwrap --seccomp`: system calls that inspect other
 * processes, or reach the parts of the kernel with the most vulnerabilities, fail with a permission error. It is a deny
 * list, because the calls that programs of any language need cannot be listed.
 */
export function seccompFilter(arch: string): Uint8Array | undefined {
  const machine = endianness() === "LE" ? MACHINES[arch] : undefined;
  if (!machine) return undefined;
  const { column, audit, hasX32 } = machine;
  const numberOf = (name: string): number | null => CALLS[name]?.[column] ?? null;
  return encode([
    // Other architectures have other call numbers: 32-bit, and on x86 x32, which shares the architecture value.
    load(ARCH),
    ...unless({ is: "==", k: audit }, refuse(ENOSYS)),
    load(NUMBER),
    ...(hasX32 ? when({ is: ">=", k: X32_BIT }, refuse(ENOSYS)) : []),
    ...FORBIDDEN.flatMap((name) => call(numberOf(name), [refuse(EPERM)])),
    // Its flags are in memory, where a filter cannot look. C libraries fall back to `clone` when it is missing.
    ...call(numberOf("clone3"), [refuse(ENOSYS)]),
    ...call(numberOf("clone"), [
      load(argument(0)),
      ...when({ is: "&", k: NAMESPACES }, refuse(EPERM)),
      ALLOW,
    ]),
    ...call(numberOf("unshare"), [
      load(argument(0)),
      ...when({ is: "&", k: NAMESPACES | NEW_TIME }, refuse(EPERM)),
      ALLOW,
    ]),
    // The kernel uses only the lower half of the request, so the filter compares that half.
    ...call(numberOf("ioctl"), [
      load(argument(1)),
      ...TYPING.flatMap((request) => when({ is: "==", k: request }, refuse(EPERM))),
      ALLOW,
    ]),
    ALLOW,
  ]);
}

/** Calls that always fail, grouped by what they reach. */
const BY_REACH: Readonly<Record<string, string>> = {
  "other processes": "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise",
  "the kernel's own programs, rings, counters and page faults":
    "bpf io_uring_setup io_uring_enter io_uring_register perf_event_open userfaultfd",
  keys: "add_key request_key keyctl",
  mounts: "mount umount2 pivot_root chroot",
  "mounts, by newer calls":
    "open_tree open_tree_attr move_mount mount_setattr fsopen fsconfig fsmount fspick",
  "files beside the mounts": "open_by_handle_at fanotify_init",
  // New ones are refused by the flags of `clone` and `unshare`.
  "namespaces of others": "setns",
  "modules and other kernels": "kexec_load kexec_file_load init_module finit_module delete_module",
  "the machine": "reboot swapon swapoff syslog acct quotactl quotactl_fd vhangup modify_ldt iopl ioperm",
  clocks: "settimeofday clock_settime clock_adjtime adjtimex",
};
export const FORBIDDEN: readonly string[] = Object.values(BY_REACH).flatMap((names) => names.split(" "));

/**
 * Numbers of calls on x86_64 and on aarch64. Source: arch/x86/entry/syscalls/syscall_64.tbl and
 * include/uapi/asm-generic/unistd.h of the kernel; null where an architecture lacks the call.
 */
export const CALLS: Readonly<Record<string, readonly [x64: number, arm64: number | null]>> = {
  ioctl: [16, 29],
  clone: [56, 220],
  ptrace: [101, 117],
  syslog: [103, 116],
  vhangup: [153, 58],
  modify_ldt: [154, null],
  pivot_root: [155, 41],
  adjtimex: [159, 171],
  chroot: [161, 51],
  acct: [163, 89],
  settimeofday: [164, 170],
  mount: [165, 40],
  umount2: [166, 39],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  iopl: [172, null],
  ioperm: [173, null],
  init_module: [175, 105],
  delete_module: [176, 106],
  quotactl: [179, 60],
  clock_settime: [227, 112],
  kexec_load: [246, 104],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  unshare: [272, 97],
  perf_event_open: [298, 241],
  fanotify_init: [300, 262],
  open_by_handle_at: [304, 265],
  clock_adjtime: [305, 266],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  finit_module: [313, 273],
  kexec_file_load: [320, 294],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  clone3: [435, 435],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount_setattr: [442, 442],
  quotactl_fd: [443, 443],
  open_tree_attr: [467, 467],
};

/** By Node's names. `audit` is the AUDIT_ARCH_ constant of the kernel's audit.h. */
const MACHINES: Readonly<Record<string, { column: 0 | 1; audit: number; hasX32: boolean }>> = {
  x64: { column: 0, audit: 0xc000_003e, hasX32: true },
  arm64: { column: 1, audit: 0xc000_00b7, hasX32: false },
};
const X32_BIT = 0x4000_0000;

/** Errors of errno.h. */
const EPERM = 1;
const ENOSYS = 38;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of sched.h. */
const NAMESPACES = 0x7e02_0000;
/** CLONE_NEWTIME; for `clone` the bit is part of a signal's number. */
const NEW_TIME = 0x80;
/** TIOCSTI and TIOCLINUX: they inject input into a terminal. */
const TYPING = [0x5412, 0x541c];

// ── Classic BPF, as seccomp(2) and linux/filter.h have it ──

interface Instruction {
  code: number;
  /** Number of instructions skipped when a comparison holds, and when it does not. */
  jumpTrue?: number;
  jumpFalse?: number;
  k: number;
}

interface Comparison {
  is: "==" | ">=" | "&";
  k: number;
}

/** Offsets in struct seccomp_data. For an argument the lower half, which comes first on these machines. */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number) => 16 + 8 * index;

/** BPF_JMP with BPF_K, and BPF_JEQ, BPF_JGE or BPF_JSET. */
const JUMPS: Readonly<Record<Comparison["is"], number>> = { "==": 0x15, ">=": 0x35, "&": 0x45 };
/** BPF_LD | BPF_W | BPF_ABS */
const load = (k: number): Instruction => ({ code: 0x20, k });
/** BPF_RET | BPF_K with SECCOMP_RET_ERRNO. */
const refuse = (error: number): Instruction => ({ code: 0x06, k: 0x0005_0000 | error });
/** SECCOMP_RET_ALLOW */
const ALLOW: Instruction = { code: 0x06, k: 0x7fff_0000 };

function when({ is, k }: Comparison, then: Instruction): Instruction[] {
  return [{ code: JUMPS[is], jumpFalse: 1, k }, then];
}

function unless({ is, k }: Comparison, then: Instruction): Instruction[] {
  return [{ code: JUMPS[is], jumpTrue: 1, k }, then];
}

/** Applies instructions to one call; none if the architecture lacks it. The call number must be loaded. */
function call(number: number | null, then: readonly Instruction[]): Instruction[] {
  return number === null ? [] : [{ code: JUMPS["=="], jumpFalse: then.length, k: number }, ...then];
}

/** An array of struct sock_filter. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, jumpTrue = 0, jumpFalse = 0, k }] of program.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jumpTrue, at + 2);
    bytes.writeUInt8(jumpFalse, at + 3);
    bytes.writeUInt32LE(k, at + 4);
  }
  return bytes;
}
