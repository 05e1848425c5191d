import { z } from "zod";

const Variables = z.record(z.string(), z.string());

/** A file, directory or link that a shell session keeps beside the project, such as one in `/tmp`. */
export const ScratchEntry = z.object({
  path: z.string(),
  kind: z.enum(["file", "directory", "symlink"]),
  mode: z.number(),
  /** Of a link. */
  target: z.string().default(""),
  /** Of a file: how many of the bytes that go beside the job are its own, one file after the other. */
  size: z.number().int().nonnegative().default(0),
});
export type ScratchEntry = z.output<typeof ScratchEntry>;

const Place = z.object({
  /** Absolute. */
  cwd: z.string(),
  env: Variables,
});

/** One command over the project's files, or one line of a shell session with what the lines before it left. */
export const Job = z.discriminatedUnion("kind", [
  Place.extend({ kind: z.literal("command"), command: z.string(), timeoutMs: z.number() }),
  Place.extend({
    kind: z.literal("line"),
    text: z.string(),
    /** `$?` before the line. */
    status: z.number().int(),
    /** All variables, in place of `env` and the shell's own; absent with the first line. */
    variables: Variables.optional(),
    scratch: z.array(ScratchEntry),
    /** Whether the text may be the beginning of something that further lines complete. */
    mayContinue: z.boolean(),
  }),
]);
export type Job = z.output<typeof Job>;

/** How a job ended. */
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
  /** The shell itself broke: on a failure of the files, by its number, or by a fault. */
  z.object({ kind: z.literal("failed"), failure: z.number().int().optional(), message: z.string() }),
]);
export type JobResult = z.output<typeof JobResult>;

/** A job or its result, and the bytes of its scratch files. */
export interface WithBytes<T> {
  value: T;
  bytes?: Uint8Array | undefined;
}
