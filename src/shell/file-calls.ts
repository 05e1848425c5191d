import { z } from "zod";

const path = z.string();

/**
 * What a running shell asks of the project's files, as it goes over a wire. Paths are absolute below the mount point. The
 * bytes of `write` and `append` go beside the call, and so do those that `read` returns.
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
  /** Files have one name here; a hard link is a copy. */
  z.object({ name: z.literal("linkHard"), path, to: path }),
  z.object({ name: z.literal("readLink"), path }),
  z.object({ name: z.literal("resolve"), path }),
]);
export type FileCall = z.output<typeof FileCall>;
export type FileCallName = FileCall["name"];

const kind = z.enum(["file", "directory", "symlink"]);
/** `modifiedAt` in milliseconds since 1970. */
export const FileState = z.object({ kind, mode: z.number(), size: z.number(), modifiedAt: z.number() });
export type FileState = z.output<typeof FileState>;
export const Listing = z.array(z.object({ name: z.string(), kind }));
export type Listing = z.output<typeof Listing>;

/** What comes back. A failure has the code and the words that shells know, and a number by which its cause is found. */
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

/** Where the project's files are: asks one call of them. */
export type CallFiles = (
  call: FileCall,
  bytes?: Uint8Array,
) => Promise<{ answer: FileAnswer; bytes?: Uint8Array | undefined }>;
