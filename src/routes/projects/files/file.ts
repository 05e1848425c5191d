import { z } from "zod";
import { readText, type Encoding, type OpenFile } from "#src/domain/workspaces/files/index.ts";
import { Reply } from "#src/http/endpoint.ts";
import type { FileEntry } from "#src/platform/runtime/project-files.ts";
import { ProjectParams } from "../project.ts";
import { etagHeader, etagOf, notModified } from "./conditions.ts";

/** Body limit of the JSON forms that carry a file: base64 adds a third, and escapes add more. */
export const FILE_BODY_BYTES = 18 * 1024 * 1024;
/** Largest file that the raw form accepts, in bytes. */
export const RAW_BYTES = 100 * 1024 * 1024;

/** A file whose path is the rest of the URL path. */
export const FileParams = ProjectParams.extend({
  path: z.string().describe("Path of the file, relative to the project root, with or without a leading `/`"),
});

export const ContainerDir = z
  .string()
  .optional()
  .describe("Base directory of the other paths; the project root when absent or `/`");

/** For descriptions of endpoints that read a file. */
export const CONDITIONAL_READ =
  "With `If-None-Match` and the `ETag` of an earlier response, 304 if nothing changed.";
/** For descriptions of endpoints that write a file. */
export const CONDITIONAL_WRITE =
  "With `If-Match`, 412 if the file has changed; with `If-None-Match: *`, 412 if it exists already.";

export const EncodingQuery = z
  .enum(["utf-8", "base64"])
  .default("utf-8")
  .describe("`base64` for files that are not text");

/** The `ETag` header again, for clients that keep many of them. */
export const Etag = z
  .string()
  .optional()
  .describe("Version of the file's content as an entity tag, with its quotes, for `If-Match`");

export const FileText = z
  .object({
    status: z.literal("ready"),
    path: z.string(),
    content: z.string(),
    encoding: z.enum(["utf-8", "base64"]),
    size: z.int().describe("Bytes of the file"),
    etag: Etag,
  })
  .meta({ id: "FileText" });

export const FileContent = {
  content: z.string().describe("The whole new content; may be empty"),
  encoding: EncodingQuery,
};

export const Saved = z
  .object({
    status: z.literal("success"),
    message: z.string(),
    file_path: z.string(),
    method: z.string().describe("Where the file was saved"),
    etag: Etag,
  })
  .meta({ id: "SavedFile" });

export function replySaved(path: string, { version, size }: FileEntry) {
  const etag = version === undefined ? {} : { etag: etagOf(version) };
  const saved = { status: "success" as const, message: "File saved", file_path: path, method: "workspace" };
  return new Reply({ ...saved, ...etag, size }, etagHeader(version));
}

/** Answers with a file as text, or 304 if the client has this version. */
export async function replyText(request: Request, path: string, file: OpenFile, encoding: Encoding) {
  const unchanged = notModified(request, file.entry.version);
  if (unchanged) {
    await file.body.cancel();
    return unchanged;
  }
  const { version, ...text } = await readText(file, encoding);
  const etag = version === undefined ? {} : { etag: etagOf(version) };
  return new Reply({ status: "ready" as const, path, ...text, ...etag }, etagHeader(version));
}

export const Removed = z.object({ message: z.string(), file_path: z.string() }).meta({ id: "RemovedFile" });
