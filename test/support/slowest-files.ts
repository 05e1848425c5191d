import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** A run of fewer files is one that looks at something else. */
const WORTH_A_LIST = 30;
const SHOWN = 20;
const TITLE_LENGTH = 60;

interface FileTime {
  name: string;
  /** Loading what it imports, and what its modules do meanwhile. */
  imports: number;
  /** Before and after tests: services that start and stop, mostly. */
  hooks: number;
  tests: number;
  /** Processor seconds of its worker and of all that it started. Undefined in workerd, and where no /proc tells. */
  coreSeconds: number | undefined;
  slowest: { title: string; ms: number };
}

/** Prints at the end of a long run which files took longest and what for, and how busy the cores were. */
export class SlowestFiles implements Reporter {
  #atStart = coreTimes();

  onTestRunStart(): void {
    this.#atStart = coreTimes();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < WORTH_A_LIST) return;
    const now = coreTimes();
    const [busy, all] = [now.busy - this.#atStart.busy, now.all - this.#atStart.all];
    const files = modules.map(timeOf).toSorted((one, other) => total(other) - total(one));
    const file = process.env["TEST_TIMES"];
    if (file) writeFileSync(file, JSON.stringify(files));
    process.stdout.write(
      [
        `\nThe cores of this machine were busy for ${Math.round((100 * busy) / all)} % of the time. Slowest of ${files.length} files, in seconds:`,
        "  total imports   hooks   tests   cores  file: its slowest test",
        ...files.slice(0, SHOWN).map(lineOf),
        `\nProcessor seconds of the files and all that they started; ${Math.round(now.busy - this.#atStart.busy) / 1000} of the whole machine:`,
        ...foldersOf(files),
        "",
      ].join("\n"),
    );
  }
}

function coreTimes(): { busy: number; all: number } {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce(
    (sum, { user, nice, sys, idle: unused, irq }) => sum + user + nice + sys + unused + irq,
    0,
  );
  return { busy: all - idle, all };
}

function timeOf(module: TestModule): FileTime {
  const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
  let tests = 0;
  let slowest = { title: "", ms: 0 };
  for (const test of module.children.allTests()) {
    const ms = test.diagnostic()?.duration ?? 0;
    tests += ms;
    if (ms > slowest.ms) slowest = { title: test.name, ms };
  }
  return {
    name: path.relative("test", module.moduleId),
    imports: prepareDuration + setupDuration + collectDuration,
    // Where tests run side by side they take longer together than their file does.
    hooks: Math.max(0, duration - tests),
    tests: Math.min(tests, duration),
    coreSeconds: module.meta().coreSeconds,
    slowest,
  };
}

function total({ imports, hooks, tests }: FileTime): number {
  return imports + hooks + tests;
}

function lineOf(file: FileTime): string {
  const columns = [total(file), file.imports, file.hooks, file.tests, 1000 * (file.coreSeconds ?? 0)].map(
    (ms) => seconds(ms).padStart(7),
  );
  const { title, ms } = file.slowest;
  const short = title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH)}…` : title;
  return `${columns.join(" ")}  ${file.name}: ${short} (${seconds(ms)})`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

/** One line for each folder of `test`, the most first. */
function foldersOf(files: readonly FileTime[]): string[] {
  const folders = Map.groupBy(files, ({ name }) => name.split("/")[0]);
  return [...folders]
    .map(([folder, its]) => ({
      folder,
      files: its.length,
      ms: 1000 * its.reduce((sum, { coreSeconds = 0 }) => sum + coreSeconds, 0),
    }))
    .toSorted((one, other) => other.ms - one.ms)
    .map(({ folder, files: count, ms }) => `${seconds(ms).padStart(7)}  ${folder} (${count} files)`);
}
