/**
 * Interactive shell sessions: a terminal, a program in it, and its output from the first byte on. Sessions are named by the
 * caller (a UUID) and end with the runtime. `not_found` for a session the runtime does not know (any more).
 */
export interface ProjectShells {
  /** Safe to repeat: a session that is there stays as it is. */
  openShell(id: string, options: ShellOptions): Promise<void>;
  /** What a person types; a program reads it when it likes. `conflict` for a session that is over. */
  writeShell(id: string, data: string): Promise<void>;
  /** Output from a position on, at most 1 MiB; the output of a session that is over stays readable for a while. */
  readShell(id: string, position: number): Promise<ShellOutput>;
  /**
   * Output from a position on, as it comes, until the session is over or the reader cancels. What no longer is kept is
   * left out.
   */
  watchShell(id: string, position: number): Promise<ReadableStream<Uint8Array>>;
  resizeShell(id: string, columns: number, rows: number): Promise<void>;
  /** End the program, with all it has started; the output goes too. Safe to repeat. */
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
  /** Position of the first byte of `data`: later than asked for when what came before is not kept any more (10 MiB are). */
  start: number;
  /** Position after the last byte of `data`: where the next read goes on. */
  end: number;
  /** The program has ended and nothing comes after `end`. */
  ended: boolean;
  exitCode: number | null;
}
