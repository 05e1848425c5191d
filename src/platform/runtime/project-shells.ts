/**
 * Interactive shell sessions: a terminal, a program in it, and its output from the first byte on. The caller names
 * sessions by a UUID; they end with the runtime. `not_found` for a session that the runtime does not know or no longer
 * knows.
 */
export interface ProjectShells {
  /** Idempotent: an existing session stays unchanged. */
  openShell(id: string, options: ShellOptions): Promise<void>;
  /** Sends input, which the program reads when it is ready. `conflict` for a session that is over. */
  writeShell(id: string, data: string): Promise<void>;
  /** Returns output from a position on, at most 1 MiB; the output of an ended session stays readable for a while. */
  readShell(id: string, position: number): Promise<ShellOutput>;
  /**
   * Streams output from a position on until the session is over or the reader cancels. Output that is no longer stored
   * is skipped.
   */
  watchShell(id: string, position: number): Promise<ReadableStream<Uint8Array>>;
  resizeShell(id: string, columns: number, rows: number): Promise<void>;
  /** Ends the program with all its processes, and deletes the output. Idempotent. */
  closeShell(id: string): Promise<void>;
}

export interface ShellOptions {
  /** Command line of the program, such as `/bin/bash`. */
  command: string;
  /** Project-relative directory; the root when absent. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
  columns: number;
  rows: number;
}

export interface ShellOutput {
  data: Uint8Array;
  /**
   * Position of the first byte of `data`: later than requested when earlier output is no longer stored (10 MiB are).
   */
  start: number;
  /** Position after the last byte of `data`, where the next read starts. */
  end: number;
  /** The program has ended and there is no output after `end`. */
  ended: boolean;
  exitCode: number | null;
}
