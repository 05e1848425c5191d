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

const Refusal = z.object({ ok: z.literal(false), code: Code, message: z.string() });

/** The answer to a file sent in, and the refusal of one asked for. */
export const EntryAnswer = z.union([z.object({ ok: z.literal(true), value: Entry }), Refusal]);

/** The answer to entries sent in, and the refusal of other streams. */
export const StreamAnswer = z.union([z.object({ ok: z.literal(true) }), Refusal]);

/** The paths of entries that are asked for. */
export const Paths = z.array(z.string());

/**
 * `fetch` carries streams only. `/file?path=`: GET answers a file's bytes, PUT with `limit` and `seal` takes them, sealed.
 * `/entries`: POST with paths answers these entries, PUT with `generation` takes entries in place of all files. `/shell?id=
 * &position=`: GET answers a session's output as it comes. A refusal has status 409.
 */
export const STREAM_URL = "https://project-workspace";

/** On an answer with bytes: what they are, as URL-encoded JSON, since names are not limited to what headers carry. */
export const ENTRY_HEADER = "x-file-entry";

export const EntryHeader = Entry;
