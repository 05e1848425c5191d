import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { FileAnswer, FileCall } from "./file-calls.ts";
import { Job, JobResult } from "./job.ts";

/** From where the files are to where the shell runs. */
export const ToShell = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("job"), job: Job }),
  z.object({ kind: z.literal("answer"), id: z.number().int(), answer: FileAnswer }),
  /** End the job, and say what it wrote. */
  z.object({ kind: z.literal("cancel") }),
]);
export type ToShell = z.output<typeof ToShell>;

/** And back. The result is the last one. */
export const FromShell = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("call"), id: z.number().int(), call: FileCall }),
  z.object({ kind: z.literal("result"), result: JobResult }),
]);
export type FromShell = z.output<typeof FromShell>;

const LENGTH_BYTES = 4;

/** A message as one frame: the length of its JSON as four bytes, the JSON, and bytes that belong to it. */
export function encodeFrame(message: ToShell | FromShell, bytes?: Uint8Array): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(message));
  const frame = new Uint8Array(LENGTH_BYTES + json.length + (bytes?.length ?? 0));
  new DataView(frame.buffer).setUint32(0, json.length);
  frame.set(json, LENGTH_BYTES);
  if (bytes) frame.set(bytes, LENGTH_BYTES + json.length);
  return frame;
}

/** Throws for anything but a frame with such a message. The bytes are a view of the frame. */
export function decodeFrame<T>(frame: Uint8Array, schema: z.ZodType<T>): { message: T; bytes: Uint8Array } {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const end = LENGTH_BYTES + view.getUint32(0);
  const message = parseJson(new TextDecoder().decode(frame.subarray(LENGTH_BYTES, end)), schema);
  return { message, bytes: frame.subarray(end) };
}
