/** Programs that go on running, such as dev servers, and the way to their ports. */
export interface ProjectProcesses {
  /** Whether the runtime runs programs at all; one that does not shows a container's files instead. */
  readonly runsProcesses: boolean;
  /** Ports that the runtime uses itself where its programs run. No program can have one, and `fetchPort` leads to none. */
  readonly reservedPorts: readonly number[];
  /**
   * Start a program under a name, or replace the one of that name. Resolves when it has been started, not when it is
   * ready. It does not outlive `stopProcesses`, and is not started again when it ends.
   */
  startProcess(name: string, spec: ProcessSpec): Promise<void>;
  /** SIGTERM, and SIGKILL five seconds later; with all it has started. Safe to repeat. */
  stopProcess(name: string): Promise<void>;
  /** End every process, shell session and command. Safe to repeat. */
  stopProcesses(): Promise<void>;
  processes(): Promise<ProcessState[]>;
  /** Whether the program of this name, or what it has started, listens on a TCP port: not merely that something does. */
  listensOn(name: string, port: number): Promise<boolean>;
  /**
   * The last lines of what processes of a name wrote, both streams together; none for a name nobody used. `ofLastRun`
   * leaves out what those before the newest one wrote.
   */
  readLog(name: string, lines: number, options?: { ofLastRun: boolean }): Promise<string[]>;
  /** The last lines and then what comes, as lines of text, until the reader cancels. */
  watchLog(name: string, lines: number): Promise<ReadableStream<Uint8Array>>;
  /**
   * A request to a port that a program of the project listens on, WebSocket upgrades included; its path and query are
   * the request's. `unavailable` where nobody listens, `forbidden` for a reserved port.
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
  /** Of one that has ended: 128 + n when signal n ended it. */
  exitCode: number | null;
  startedAt: number;
}
