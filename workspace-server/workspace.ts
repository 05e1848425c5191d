import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { AppError } from "#src/lib/errors.ts";
import { ProjectFiles } from "./files/project-files.ts";
import { ProjectPaths } from "./files/project-paths.ts";
import { GitProcesses } from "./git-processes.ts";
import { Commands } from "./programs/commands.ts";
import { Pipes } from "./programs/pipes.ts";
import { Programs } from "./programs/programs.ts";
import { Processes } from "./programs/processes.ts";
import { Shells } from "./shells/shells.ts";
import { abandon, beginStaging, recover, swapIn, type Staged } from "./storage/swap.ts";

/** One project: its directory, and the programs that run in it. */
export class Workspace {
  readonly paths: ProjectPaths;
  readonly files: ProjectFiles;
  readonly programs = new Programs();
  readonly commands: Commands;
  readonly shells: Shells;
  readonly processes: Processes;
  readonly pipes: Pipes;
  readonly git: GitProcesses;
  readonly #staged = new Map<string, Staged>();

  readonly #endingFile: string | undefined;

  private constructor(root: string, endingFile: string | undefined) {
    this.#endingFile = endingFile;
    this.paths = new ProjectPaths(root);
    this.files = new ProjectFiles(this.paths);
    this.commands = new Commands(root, this.programs);
    this.shells = new Shells(root, this.programs);
    this.processes = new Processes(root, this.programs);
    this.pipes = new Pipes(root, this.programs);
    this.git = new GitProcesses(this.paths, this.programs);
  }

  /**
   * Opens the project in a directory, completing operations that a crash interrupted. `root` is absolute and without
   * links. `endingFile` exists once the platform is about to end the sandbox.
   */
  static async open(root: string, endingFile?: string): Promise<Workspace> {
    const workspace = new Workspace(root, endingFile);
    await recover(workspace.paths);
    return workspace;
  }

  /** Whether programs or data depend on the running server. */
  get isBusy(): boolean {
    return [this.commands, this.shells, this.processes, this.pipes, this.git].some(({ isBusy }) => isBusy);
  }

  get isEnding(): boolean {
    return this.#endingFile !== undefined && existsSync(this.#endingFile);
  }

  /** Makes a directory that the caller fills, and that `commitStaged` then puts in place of all files. */
  stage(): { id: string; directory: string } {
    const staged = beginStaging(this.paths);
    const id = randomUUID();
    this.#staged.set(id, staged);
    return { id, directory: staged.directory };
  }

  async commitStaged(id: string): Promise<void> {
    await swapIn(this.paths, this.#takeStaged(id));
  }

  async abandonStaged(id: string): Promise<void> {
    await abandon(this.paths, this.#takeStaged(id));
  }

  /** Ends everything that runs. The reason is the last line of commands' error output. */
  async stopAll(reason: string): Promise<void> {
    await Promise.all([
      this.commands.endAll(reason),
      this.shells.endAll(),
      this.processes.endAll(),
      this.pipes.endAll(),
      this.git.endAll(),
      this.programs.endStarting(),
    ]);
  }

  #takeStaged(id: string): Staged {
    const staged = this.#staged.get(id);
    if (!staged) throw new AppError("not_found", "Nothing is staged under this name");
    this.#staged.delete(id);
    return staged;
  }
}
