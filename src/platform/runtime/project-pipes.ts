import { z } from "zod";

/** What the last line of a program's output begins with; the rest is a `PipeEnd`. Not a character of JSON. */
export const PIPE_END = "\u0004";

/** How often the holder of an open pipe tells that it is there, in milliseconds. One that is silent for long is taken for gone. */
export const PIPE_SIGN_MS = 20_000;

/** How a program has ended. */
export const PipeEnd = z.object({
  /** 128 + n when signal n ended it. */
  exitCode: z.number(),
  /** Its error output, without the middle of a long one. Foreign text. */
  errors: z.string(),
});
export type PipeEnd = z.infer<typeof PipeEnd>;

/** Programs whose input and output are a caller's, such as MCP servers over stdio. */
export interface ProjectPipes {
  /**
   * Starts a program without a shell, and streams its output; the last line says how it has ended. It ends, with all its
   * processes, once its reader cancels or is gone, also where the connection is lost without an end. The caller names it by a
   * UUID. `unavailable` where there is no such program, and where too many run; `not_found` where there is no such directory.
   */
  openPipe(id: string, spec: PipeSpec): Promise<ReadableStream<Uint8Array>>;
  /** Sends input, which the program reads when it is ready. An empty text says only that the caller is there. `conflict` for one that has ended. */
  writePipe(id: string, data: string): Promise<void>;
}

export interface PipeSpec {
  /** A name that is looked for in `PATH`, or a path from the project's root. */
  file: string;
  args: readonly string[];
  /** A directory of the project; its root when absent. */
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}
