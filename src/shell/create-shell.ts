import { Bash, InMemoryFs, MountableFs } from "just-bash";
import type { CallFiles } from "./file-calls.ts";
import { PROJECT_MOUNT } from "./mount.ts";
import { RemoteFileSystem } from "./remote-file-system.ts";

const MEGABYTE = 1024 * 1024;

/** Memory one command may use, as far as the shell counts it. How much a command may do stays as just-bash has it. */
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
/** What a command may put outside the project. */
const SCRATCH_BYTES = 16 * MEGABYTE;
/** File operations between two moments in which timers and messages get their turn. */
const OPERATIONS_PER_TURN = 16;

/**
 * A shell over the project's files, mounted at `/app`, and a scratch file system of its own. It has no network. Nothing
 * bounds how long it computes: it runs where it can be ended from outside.
 */
export function createShell({
  callFiles,
  pause,
  cwd,
  env,
}: {
  callFiles: CallFiles;
  /** Lets timers and messages have their turn. */
  pause: () => Promise<void>;
  cwd: string;
  env: Readonly<Record<string, string>>;
}): { bash: Bash; scratch: InMemoryFs; given: ReadonlySet<string> } {
  const scratch = new InMemoryFs({}, { maxTotalBytes: SCRATCH_BYTES });
  // A shell lays out /bin, /dev, /proc and /tmp in a memory file system only, so one does it for the other.
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
 * Commands over scratch files run on microtasks alone, so a loop of them would not let its own timeout in. Every command is
 * looked up in the file system, which makes this the place to let go.
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
