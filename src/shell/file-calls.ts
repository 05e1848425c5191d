import { z } from "zod";

const path = z.string();

/**
 * A running shell's call on the project's files, as sent over a wire. Paths are absolute below the mount point. The
 * bytes of `write` and `append` travel beside the call, and so do those that `read` returns.
 */
export const FileCall = z.discriminatedUnion("name", [
  z.object({ name: z.literal("read"), path }),
  z.object({ name: z.literal("write"), path }),
  z.object({ name: z.literal("append"), path }),
  z.object({ name: z.literal("exists"), path }),
  z.object({ name: z.literal("stat"), path, follow: z.boolean() }),
  z.object({ name: z.literal("list"), path }),
  z.object({ name: z.literal("makeDirectory"), path, recursive: z.boolean() }),
  z.object({ name: z.literal("remove"), path, recursive: z.boolean(), force: z.boolean() }),
  z.object({ name: z.literal("copy"), path, to: path, recursive: z.boolean() }),
  z.object({ name: z.literal("move"), path, to: path }),
  z.object({ name: z.literal("setMode"), path, mode: z.number() }),
  z.object({ name: z.literal("setModified"), path, modifiedAt: z.number() }),
  z.object({ name: z.literal("makeLink"), path, target: z.string() }),
  /** Hard links are not supported; the link is a copy. */
  z.object({ name: z.literal("linkHard"), path, to: path }),
  z.object({ name: z.literal("readLink"), path }),
  z.object({ name: z.literal("resolve"), path }),
]);
export type FileCall = z.output<typeof FileCall>;
export type FileCallName = FileCall["name"];

const kind = z.enum(["file", "directory", "symlink"]);
/** `modifiedAt` is in milliseconds since the epoch. */
export const FileState = z.object({ kind, mode: z.number(), size: z.number(), modifiedAt: z.number() });
export type FileState = z.output<typeof FileState>;
export const Listing = z.array(z.object({ name: z.string(), kind }));
export type Listing = z.output<typeof Listing>;

/**
 * The result of a call. A failure has the code and the message that shells expect, and a number that identifies its
 * cause.
 */
export const FileAnswer = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), value: z.json().optional() }),
  z.object({
    ok: z.literal(false),
    failure: z.number().int(),
    code: z.string().optional(),
    message: z.string(),
  }),
]);
export type FileAnswer = z.output<typeof FileAnswer>;

/** Sends one call to where the project's files are. */
export type CallFiles = (
  call: FileCall,
  bytes?: Uint8Array,
) => Promise<{ answer: FileAnswer; bytes?: Uint8Array | undefined }>;
