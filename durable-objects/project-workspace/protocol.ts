import { z } from "zod";
import { STATUS, type ErrorCode } from "#src/lib/errors.ts";

/**
 * How the object answers: failures it foresees are data, because an error that crosses the boundary arrives without its
 * class. What is thrown is a defect or the object's end.
 */
export type Answer<T> = { ok: true; value: T } | { ok: false; code: ErrorCode; message: string };

const Code = z.custom<ErrorCode>((value) => typeof value === "string" && value in STATUS);

const Entry = z.object({
  path: z.string(),
  name: z.string(),
  kind: z.enum(["file", "directory", "symlink"]),
  size: z.number(),
  modifiedAt: z.number(),
});

/** The answer to a stream of bytes sent in, and the refusal of one asked for. */
export const EntryAnswer = z.union([
  z.object({ ok: z.literal(true), value: Entry }),
  z.object({ ok: z.literal(false), code: Code, message: z.string() }),
]);

/** `fetch` carries streams only: `GET ?path=` answers bytes, `PUT ?path=&limit=&seal=` takes them, sealed. */
export const STREAM_URL = "https://project-workspace/";

/** On an answer with bytes: what they are, as URL-encoded JSON, since names are not limited to what headers carry. */
export const ENTRY_HEADER = "x-file-entry";

export const EntryHeader = Entry;
