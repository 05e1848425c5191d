import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { FileAnswer, FileCall } from "./file-calls.ts";
import { Job, JobResult } from "./job.ts";

/** Frames from the files' side to the shell. */
export const ToShell = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("job"), job: Job }),
  z.object({ kind: z.literal("answer"), id: z.number().int(), answer: FileAnswer }),
  /** Ends the job, which still returns its output. */
  z.object({ kind: z.literal("cancel") }),
]);
export type ToShell = z.output<typeof ToShell>;

/** Frames from the shell. The result is the last frame. */
export const FromShell = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("call"), id: z.number().int(), call: FileCall }),
  z.object({ kind: z.literal("result"), result: JobResult }),
]);
export type FromShell = z.output<typeof FromShell>;

const LENGTH_BYTES = 4;

/** Encodes a message as one frame: the length of its JSON as four bytes, the JSON, and its bytes. */
export function encodeFrame(message: ToShell | FromShell, bytes?: Uint8Array): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(message));
  const frame = new Uint8Array(LENGTH_BYTES + json.length + (bytes?.length ?? 0));
  new DataView(frame.buffer).setUint32(0, json.length);
  frame.set(json, LENGTH_BYTES);
  if (bytes) frame.set(bytes, LENGTH_BYTES + json.length);
  return frame;
}

/** Throws unless the frame contains such a message. The returned bytes are a view of the frame. */
export function decodeFrame<T>(frame: Uint8Array, schema: z.ZodType<T>): { message: T; bytes: Uint8Array } {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const end = LENGTH_BYTES + view.getUint32(0);
  const message = parseJson(new TextDecoder().decode(frame.subarray(LENGTH_BYTES, end)), schema);
  return { message, bytes: frame.subarray(end) };
}
