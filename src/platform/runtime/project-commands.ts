/** Commands that run to their end. */
export interface ProjectCommands {
  /**
   * Runs one shell command until it ends, or until the timeout or the signal ends it with all its processes. A failing
   * command returns a result.
   */
  exec(command: string, options: ExecOptions): Promise<ExecResult>;
}

export interface ExecOptions {
  /** Project-relative directory; the root when absent. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  timeoutMs: number;
  /**
   * The command cannot change the project, whatever it starts, and reaches neither its processes nor a network; other
   * files that it writes are gone when it ends. Throws `forbidden` where the runtime cannot guarantee this.
   */
  readOnly?: boolean;
  /** Ends the command early; the result then has `exitCode` 130. */
  signal?: AbortSignal;
}

export interface ExecResult {
  /** At most 1 MiB of each stream: the beginning and the end of a longer one. */
  stdout: string;
  stderr: string;
  /** 124 when the timeout ended the command, 137 when a limit of the runtime did. */
  exitCode: number;
  timedOut: boolean;
}
