/** Long-running programs, such as dev servers, and access to their ports. */
export interface ProjectProcesses {
  /** Whether the runtime runs programs at all; otherwise containers only show files. */
  readonly runsProcesses: boolean;
  /** Ports that the runtime itself uses beside the programs. Programs cannot use them, and `fetchPort` refuses them. */
  readonly reservedPorts: readonly number[];
  /**
   * Starts a program under a name, or replaces the program of that name. Resolves when it has been started, not when it
   * is ready. It does not outlive `stopProcesses`, and is not restarted when it ends.
   */
  startProcess(name: string, spec: ProcessSpec): Promise<void>;
  /** Sends SIGTERM, and SIGKILL five seconds later, to the program and all its processes. Idempotent. */
  stopProcess(name: string): Promise<void>;
  /** Ends every process, shell session and command. Idempotent. */
  stopProcesses(): Promise<void>;
  processes(): Promise<ProcessState[]>;
  /** Whether this program or its child processes listen on a TCP port; other programs' listeners do not count. */
  listensOn(name: string, port: number): Promise<boolean>;
  /**
   * Returns the last lines of the processes of a name, both streams together; none for an unknown name. `ofLastRun`
   * leaves out the lines of earlier runs.
   */
  readLog(name: string, lines: number, options?: { ofLastRun: boolean }): Promise<string[]>;
  /** Streams the last lines and then new ones, as lines of text, until the reader cancels. */
  watchLog(name: string, lines: number): Promise<ReadableStream<Uint8Array>>;
  /**
   * Sends a request to a port of a program, including WebSocket upgrades; path and query are those of the request.
   * `unavailable` when no program listens there, `forbidden` for a reserved port.
   */
  fetchPort(port: number, request: Request): Promise<Response>;
}

export interface ProcessSpec {
  /** Command line, run by a shell. */
  command: string;
  /** Project-relative directory; the root when absent. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

export interface ProcessState {
  name: string;
  running: boolean;
  /** Exit code of a program that has ended: 128 + n when signal n ended it. */
  exitCode: number | null;
  startedAt: number;
}
