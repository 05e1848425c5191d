import { z } from "zod";

const Variables = z.record(z.string(), z.string());

/** A file, directory or link that a shell session keeps outside the project, such as one in `/tmp`. */
export const ScratchEntry = z.object({
  path: z.string(),
  kind: z.enum(["file", "directory", "symlink"]),
  mode: z.number(),
  /** Target of a link. */
  target: z.string().default(""),
  /** Length of a file's content in bytes. The contents of all files are in `WithBytes.bytes`, in the order of the entries. */
  size: z.number().int().nonnegative().default(0),
});
export type ScratchEntry = z.output<typeof ScratchEntry>;

const Place = z.object({
  /** Absolute. */
  cwd: z.string(),
  env: Variables,
});

/** One command over the project's files, or one line of a shell session with the state of the lines before it. */
export const Job = z.discriminatedUnion("kind", [
  Place.extend({ kind: z.literal("command"), command: z.string(), timeoutMs: z.number() }),
  Place.extend({
    kind: z.literal("line"),
    text: z.string(),
    /** `$?` before the line. */
    status: z.number().int(),
    /** All variables of the session. They replace `env` and the shell's own. Absent for the first line. */
    variables: Variables.optional(),
    scratch: z.array(ScratchEntry),
    /** Whether an incomplete text is answered with `unfinished`, so that the next line can complete it. */
    mayContinue: z.boolean(),
  }),
]);
export type Job = z.output<typeof Job>;

/** The result of a job. */
export const JobResult = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("command"),
    stdout: z.string(),
    stderr: z.string(),
    exitCode: z.number().int(),
    timedOut: z.boolean(),
  }),
  z.object({
    kind: z.literal("line"),
    output: z.string(),
    status: z.number().int(),
    exits: z.boolean(),
    cwd: z.string(),
    variables: Variables,
    scratch: z.array(ScratchEntry),
  }),
  z.object({ kind: z.literal("unfinished") }),
  /** The shell itself broke. `failure` is the number of the file call that failed; without it, the shell has a defect. */
  z.object({ kind: z.literal("failed"), failure: z.number().int().optional(), message: z.string() }),
]);
export type JobResult = z.output<typeof JobResult>;

/** A job or its result, with the bytes of its scratch files. */
export interface WithBytes<T> {
  value: T;
  bytes?: Uint8Array | undefined;
}
