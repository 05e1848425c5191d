import type { Bash } from "just-bash";
import { PROJECT_MOUNT } from "./paths.ts";
import type { ProjectFiles } from "./project-files.ts";
import { ShellFileSystem } from "./shell-file-system.ts";

const MEGABYTE = 1024 * 1024;

/**
 * Memory one command may use: an isolate has 128 MB for all the objects it holds. How much a command may do stays as
 * just-bash has it.
 */
const LIMITS = {
  maxLiveBytes: 64 * MEGABYTE,
  maxInputBytes: 64 * MEGABYTE,
  maxOutputSize: 16 * MEGABYTE,
  maxStringLength: 16 * MEGABYTE,
  maxHeredocSize: 16 * MEGABYTE,
  maxArchiveBytes: 64 * MEGABYTE,
  maxArchiveCompressedBytes: 32 * MEGABYTE,
  maxArchiveEntryBytes: 32 * MEGABYTE,
};
/** What a command may put outside the project; it is gone when the command ends. */
const SCRATCH_BYTES = 16 * MEGABYTE;
/** File operations between two moments in which timers and other calls get their turn. */
const OPERATIONS_PER_TURN = 16;

/** A shell over the project's files, mounted at `/app`, and a scratch file system of its own. It has no network. */
export async function createShell(
  files: ProjectFiles,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Bash> {
  // Loaded on first use: it is the largest module of the service.
  const { Bash, InMemoryFs, MountableFs } = await import("just-bash");

  /**
   * Commands run on microtasks alone, so a loop of them would let neither its own timeout nor anybody else's call in.
   * Every command is looked up in the file system, which makes this the place to let go.
   */
  class YieldingFs extends MountableFs {
    #operations = 0;

    override async stat(path: string) {
      await this.#yield();
      return super.stat(path);
    }

    override async exists(path: string) {
      await this.#yield();
      return super.exists(path);
    }

    override async writeFile(...write: Parameters<InstanceType<typeof MountableFs>["writeFile"]>) {
      await this.#yield();
      return super.writeFile(...write);
    }

    async #yield() {
      this.#operations += 1;
      if (this.#operations % OPERATIONS_PER_TURN === 0) await scheduler.wait(0);
    }
  }

  const base = new InMemoryFs({}, { maxTotalBytes: SCRATCH_BYTES });
  // A shell lays out /bin, /dev, /proc and /tmp in a memory file system only, so one does it for the other.
  void new Bash({ fs: base });
  return new Bash({
    fs: new YieldingFs({
      base,
      mounts: [{ mountPoint: PROJECT_MOUNT, filesystem: new ShellFileSystem(files) }],
    }),
    cwd: cwd === "" ? PROJECT_MOUNT : `${PROJECT_MOUNT}/${cwd}`,
    env: { HOME: PROJECT_MOUNT, ...env },
    executionLimits: LIMITS,
  });
}
