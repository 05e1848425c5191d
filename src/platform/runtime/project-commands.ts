/** Commands that run to their end. */
export interface ProjectCommands {
  /**
   * Run one shell command to its end, or until the timeout or the signal ends it, with all it has started. A failing
   * command is a result.
   */
  exec(command: string, options: ExecOptions): Promise<ExecResult>;
}

export interface ExecOptions {
  /** Project-relative directory; the root when absent. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  timeoutMs: number;
  /**
   * The command can change nothing of the project, whatever it starts, and reaches neither its processes nor a network; what
   * it writes elsewhere is gone when it ends. Throws `forbidden` where the runtime cannot see to that.
   */
  readOnly?: boolean;
  /** Ends the command early; the result then has `exitCode` 130. */
  signal?: AbortSignal;
}

export interface ExecResult {
  /** At most 1 MiB of each stream: the beginning and the end of a longer one. */
  stdout: string;
  stderr: string;
  /** 124 when the timeout ended it, 137 when a limit of the runtime did. */
  exitCode: number;
  timedOut: boolean;
}
