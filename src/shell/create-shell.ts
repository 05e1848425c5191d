import { Bash, InMemoryFs, MountableFs } from "just-bash";
import type { CallFiles } from "./file-calls.ts";
import { PROJECT_MOUNT } from "./mount.ts";
import { RemoteFileSystem } from "./remote-file-system.ts";

const MEGABYTE = 1024 * 1024;

/** Memory limits of one command, as far as the shell accounts for it. Other limits are just-bash's defaults. */
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
/** Most bytes that a command may write outside the project. */
const SCRATCH_BYTES = 16 * MEGABYTE;
/** File operations before the shell yields to timers and messages. */
const OPERATIONS_PER_TURN = 16;

/**
 * Creates a shell over the project's files, mounted at `/app`, with a separate scratch file system. It has no network.
 * Its computing time is unlimited: it runs where it can be ended from outside.
 */
export function createShell({
  callFiles,
  pause,
  cwd,
  env,
}: {
  callFiles: CallFiles;
  /** Yields to timers and messages. */
  pause: () => Promise<void>;
  cwd: string;
  env: Readonly<Record<string, string>>;
}): { bash: Bash; scratch: InMemoryFs; given: ReadonlySet<string> } {
  const scratch = new InMemoryFs({}, { maxTotalBytes: SCRATCH_BYTES });
  // A shell creates /bin, /dev, /proc and /tmp only in a memory file system, so a temporary shell creates them here.
  void new Bash({ fs: scratch });
  const given = new Set(scratch.getAllPaths());
  const filesystem = new RemoteFileSystem(callFiles);
  const fs = new YieldingFs(pause, {
    base: scratch,
    mounts: [{ mountPoint: PROJECT_MOUNT, filesystem }],
  });
  const bash = new Bash({ fs, cwd, env: { HOME: PROJECT_MOUNT, ...env }, executionLimits: LIMITS });
  return { bash, scratch, given };
}

/**
 * Yields during file operations: commands over scratch files run on microtasks alone, so a loop of them would block its
 * own timeout. The shell looks up every command in the file system, so every command passes here.
 */
class YieldingFs extends MountableFs {
  readonly #pause: () => Promise<void>;
  #operations = 0;

  constructor(pause: () => Promise<void>, options: ConstructorParameters<typeof MountableFs>[0]) {
    super(options);
    this.#pause = pause;
  }

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
    if (this.#operations % OPERATIONS_PER_TURN === 0) await this.#pause();
  }
}
