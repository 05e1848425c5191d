import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CALLS, FORBIDDEN, seccompFilter } from "#hosts/runtime-host/seccomp.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { NO_BUBBLEWRAP, SKIPPED, startTestHost, type TestHost } from "./support/runtime-host.ts";

const execute = promisify(execFile);

const EPERM = 1;
const ENOSYS = 38;
const ALLOWED = "allowed";

/** Architectures as a filter sees them: AUDIT_ARCH_X86_64, _AARCH64, and their 32-bit ones. */
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7, i386: 0x4000_0003, arm: 0x4000_0028 };
const MACHINES = ["x64", "arm64"] as const;

const CLONE_THREAD = 0x003d_0f00;
const CLONE_NEWUSER = 0x1000_0000;
const CLONE_NEWTIME = 0x80;
const TCGETS = 0x5401;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** What a filter says of a call: the error it fails with, or `allowed`. The six codes that ours uses, by linux/filter.h. */
function judge(
  machine: (typeof MACHINES)[number],
  given: { number: number; arguments?: number[]; arch?: number },
): number | string {
  const filter = Buffer.from(seccompFilter(machine) ?? []);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(given.number >>> 0, 0);
  data.writeUInt32LE(given.arch ?? AUDIT[machine], 4);
  for (const [index, value] of (given.arguments ?? []).entries()) {
    data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  }
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at);
    const k = filter.readUInt32LE(at + 4);
    if (code === 0x20) loaded = data.readUInt32LE(k);
    else if (code === 0x06) return k === 0x7fff_0000 ? ALLOWED : k - 0x0005_0000;
    else {
      const jumps = new Map([
        [0x15, loaded === k],
        [0x35, loaded >= k],
        [0x45, (loaded & k) !== 0],
      ]);
      const holds = jumps.get(code);
      if (holds === undefined) throw new Error(`No such code: ${code}`);
      at += 8 * filter.readUInt8(at + (holds ? 2 : 3));
    }
  }
  throw new Error("The filter has no end");
}

describe.each(MACHINES)("the filter of system calls on %s", (machine) => {
  const column = MACHINES.indexOf(machine);
  const numberOf = (name: string) => CALLS[name]?.[column] ?? Number.NaN;
  const ask = (name: string, ...given: number[]) =>
    judge(machine, { number: numberOf(name), arguments: given });
  const here = FORBIDDEN.filter((name) => CALLS[name]?.[column] !== null);

  it("refuses every call that is forbidden", () => {
    expect(here.filter((name) => ask(name, 0, 0, 0) !== EPERM)).toEqual([]);
    expect(here.length).toBeGreaterThan(20);
  });

  it("knows the number of every call that it names, and each number once", () => {
    expect(FORBIDDEN.filter((name) => !(name in CALLS))).toEqual([]);
    const numbers = Object.values(CALLS).flatMap((both) => both[column] ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("allows all else that has a number", () => {
    const named = new Set(Object.keys(CALLS).map(numberOf));
    const others = Array.from({ length: 500 }, (_, number) => number).filter((number) => !named.has(number));
    expect(others.filter((number) => judge(machine, { number }) !== ALLOWED)).toEqual([]);
  });

  it("tells calls by their arguments apart", () => {
    expect(ask("clone", CLONE_THREAD)).toBe(ALLOWED);
    for (const flag of [17, 25, 26, 27, 28, 29, 30]) {
      expect(ask("clone", CLONE_THREAD | (1 << flag))).toBe(EPERM);
      expect(ask("unshare", 1 << flag)).toBe(EPERM);
    }
    expect(ask("unshare", CLONE_NEWTIME)).toBe(EPERM);
    expect(ask("unshare", 0x400)).toBe(ALLOWED);
    expect(ask("clone3", 0, 88)).toBe(ENOSYS);
    expect(ask("ioctl", 0, TCGETS)).toBe(ALLOWED);
    // The kernel ignores the upper half.
    for (const above of [0, 2 ** 32]) {
      expect(ask("ioctl", 0, TIOCSTI + above)).toBe(EPERM);
      expect(ask("ioctl", 0, TIOCLINUX + above)).toBe(EPERM);
    }
  });

  it("refuses the calls of other tables, whatever their numbers mean there", () => {
    const others = Object.values(AUDIT).filter((arch) => arch !== AUDIT[machine]);
    expect(others.map((arch) => judge(machine, { number: 20, arch }))).toEqual(others.map(() => ENOSYS));
  });
});

it("refuses x32 on x86_64", () => {
  expect(judge("x64", { number: 0x4000_0000 + 39 })).toBe(ENOSYS);
  expect(judge("x64", { number: -1 })).toBe(ENOSYS);
});

it("has no filter for architectures without a table of system call numbers", () => {
  expect(seccompFilter("riscv64")).toBeUndefined();
});

const NO_PERL = !existsSync("/usr/bin/perl");
/** Calls getpid (20) and ptrace (26) by the table of 32-bit programs. */
const CALLS_OF_32_BITS = `#include <stdio.h>
  static long call(long number) { long answer; __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number)); return answer; }
  int main(void) { printf("%ld %ld", call(20), call(26)); }`;
/** Exit code of a shell's program that signal 11 has ended. */
const SEGMENTATION_FAULT = 139;

/** Whether this machine's kernel has the table: outside the sandbox, the program gets through with both calls. */
async function hasTableOf32Bits(): Promise<boolean> {
  const folder = mkdtempSync(path.join(tmpdir(), "workspace-table-"));
  try {
    const [source, program] = [path.join(folder, "table.c"), path.join(folder, "table")];
    writeFileSync(source, CALLS_OF_32_BITS);
    await execute("/usr/bin/gcc", ["-o", program, source]);
    return await execute(program).then(
      () => true,
      () => false,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const NO_GCC = process.arch !== "x64" || !existsSync("/usr/bin/gcc");

const IS_FILTERED = seccompFilter(process.arch) !== undefined;

describe.skipIf(NO_BUBBLEWRAP || !IS_FILTERED)(`a program in a sandbox${SKIPPED}`, () => {
  let host: TestHost;
  let runtime: ProjectRuntime;
  beforeAll(async () => {
    host = await startTestHost({});
    ({ runtime } = host.newProject());
  });
  afterAll(() => host?.close());
  const run = (command: string) => runtime.exec(command, { timeoutMs: HANGS_MS });
  const column = process.arch === "arm64" ? 1 : 0;

  /** The error of each call, made from a program without any library in between; 0 where it succeeded. */
  const tryCalls = async (calls: readonly (readonly number[])[]): Promise<number[]> => {
    const perl = calls.map((given) => `$!=0; syscall(${given.join(",")}); print $!+0, " ";`).join("");
    const { stdout, stderr } = await run(`/usr/bin/perl -e '${perl}'`);
    expect(stderr).toBe("");
    return stdout.trim().split(" ").map(Number);
  };

  it.skipIf(NO_PERL)("is refused each of these calls by the kernel", async () => {
    const here = FORBIDDEN.flatMap((name) => CALLS[name]?.[column] ?? []);
    const answers = await tryCalls(here.map((number) => [number, 0, 0, 0, 0, 0]));
    expect(answers).toEqual(here.map(() => EPERM));
  });

  it.skipIf(NO_PERL)("makes no namespaces and types into no terminal", async () => {
    const number = (name: string) => CALLS[name]?.[column] ?? Number.NaN;
    const answers = await tryCalls([
      [number("clone"), CLONE_NEWUSER + 17, 0, 0, 0, 0],
      [number("unshare"), CLONE_NEWUSER],
      [number("clone3"), 0, 0],
      [number("ioctl"), 0, TIOCSTI, 0],
      ...(column === 0 ? [[0x4000_0000 + 39]] : []),
    ]);
    expect(answers).toEqual([EPERM, EPERM, ENOSYS, EPERM, ...(column === 0 ? [ENOSYS] : [])]);
  });

  it.skipIf(NO_GCC)("gets nothing by calls of the 32-bit table", async () => {
    await runtime.writeFile("table.c", new TextEncoder().encode(CALLS_OF_32_BITS));
    const { stdout, stderr, exitCode } = await run("/usr/bin/gcc -o /tmp/table table.c && /tmp/table");
    // Where the kernel has that table, the filter refuses both calls; where it has none, the kernel ends the program.
    const ends = (await hasTableOf32Bits()) ? ["", `${-ENOSYS} ${-ENOSYS}`, 0] : ["", "", SEGMENTATION_FAULT];
    expect([stderr, stdout, exitCode]).toEqual(ends);
  });

  const PROGRAMS: [name: string, command: string][] = [
    [
      "node",
      `node -e 'new Worker("postMessage(1)")' 2>/dev/null; node -e '
      const { Worker } = require("node:worker_threads");
      new Worker("process.exit(0)", { eval: true }).on("exit", () => console.log("works"))'`,
    ],
    [
      "git",
      `git init -q repo && cd repo && touch a && git add a &&
      git -c user.name=a -c user.email=a@b commit -qm one && git gc -q && git log --oneline | grep -q one && echo works`,
    ],
    ["jobs", `(sleep 0.1 & wait; timeout 5 true; echo works)`],
  ];

  it("runs programs as ever", async () => {
    for (const [name, command] of PROGRAMS)
      expect([name, (await run(command)).stdout.trim()]).toEqual([name, "works"]);
  });

  it("runs no .bashrc of the project before its limits are set, or beside git", async () => {
    await runtime.git("init", { defaultBranch: "main" });
    await runtime.writeFile(".bashrc", new TextEncoder().encode("touch /app/read\n"));
    await runtime.git("status", {});
    await runtime.stopProcesses();
    expect(await runtime.stat("read")).toBeUndefined();
  });
});
