import { spawn, type ChildProcess } from "node:child_process";
import type { CgroupMaker, Usage } from "./cgroup.ts";
import type { ProjectLimits } from "./limits.ts";
import { descendants, killTree } from "./process-table.ts";
import { sandboxCommand, type ReadOnlyFiles, type SandboxPrograms, type WayOut } from "./sandbox-command.ts";
import type { SandboxRegister } from "./sandbox-register.ts";

/** Settings shared by all sandboxes. */
export interface SandboxHost {
  programs: SandboxPrograms;
  /** Whether programs of projects may reach the internet; git always may. */
  network: boolean;
  limits: ProjectLimits;
  /** `undefined` on a machine that does not let the service make control groups. */
  cgroups: CgroupMaker | undefined;
  register: SandboxRegister;
  log: (line: string) => void;
}

/** The kernel ends a killed process at once, unless the process waits for a disk. */
const END_TIMEOUT_MS = 5_000;
/** Length kept of a sandbox's standard error, whose end explains a failed start. */
const MAX_COMPLAINT_CHARS = 2_000;

/**
 * Bubblewrap's environment is readable inside its sandbox, so it contains only this: the service's own variables are
 * secret.
 */
export const ENVIRONMENT = { PATH: process.env["PATH"] };

interface SandboxedCommand {
  /** Name of its control group; used by one sandbox at a time. */
  name: string;
  files: string;
  run?: string;
  readOnly?: ReadOnlyFiles;
  wayOut: WayOut;
  command: readonly string[];
}

/** The processes of one sandbox, from outside. */
export class SandboxProcess {
  readonly child: ChildProcess;
  readonly #usage: (() => Usage) | undefined;
  #complaint = "";
  #isEnding = false;
  /** Resolves when all of its processes have ended. */
  readonly ended: Promise<void>;

  constructor(host: SandboxHost, { name, files, run, readOnly, wayOut, command }: SandboxedCommand) {
    const { programs, limits, register, log } = host;
    const cgroup = host.cgroups?.make(name, limits);
    const [program = "", ...rest] = sandboxCommand({
      programs,
      files,
      run,
      readOnly,
      limits,
      wayOut,
      command,
      cgroups: cgroup?.join ?? [],
    });
    this.child = spawn(program, rest, { stdio: ["pipe", "pipe", "pipe"], env: ENVIRONMENT });
    this.#usage = cgroup?.usage;
    this.child.stderr?.on("data", (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString()).slice(-MAX_COMPLAINT_CHARS);
    });
    this.child.stdin?.on("error", () => {});
    const registered = register.add(this.child);
    this.ended = this.#untilEnd().then(async () => {
      registered.remove();
      await cgroup?.remove().catch(() => log(`The control group of ${name} could not be removed`));
      return undefined;
    });
  }

  /** Resolves when it has ended, or could not be started at all. */
  #untilEnd(): Promise<void> {
    return new Promise((resolve) => {
      this.child.once("exit", () => resolve());
      this.child.once("error", (error) => {
        this.#complaint += error.message;
        resolve();
      });
    });
  }

  /** Whether it has ended or is about to. */
  get hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.child;
    return this.#isEnding || exitCode !== null || signalCode !== null || pid === undefined;
  }

  /** Id of the outermost process. */
  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The end of its standard error. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  usage(): Usage {
    if (this.#usage) return this.#usage();
    const total: Usage = { memoryBytes: 0, tasks: 0, isStuck: false };
    for (const { memoryBytes, tasks } of descendants(this.pid)) {
      total.memoryBytes += memoryBytes;
      total.tasks += tasks;
    }
    return total;
  }

  /** Kills all of it. Resolves when it has ended. */
  async end(): Promise<void> {
    if (!this.hasEnded) {
      this.#isEnding = true;
      await killTree(this.pid);
    }
    const late = setTimeout(() => this.child.kill("SIGKILL"), END_TIMEOUT_MS);
    await this.ended.finally(() => clearTimeout(late));
  }
}
