import { z } from "zod";
import { ProjectParams } from "../project.ts";

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

export const EncodingQuery = z
  .enum(["utf-8", "base64"])
  .default("utf-8")
  .describe("`base64` for files that are not text");

export const FileText = z
  .object({
    status: z.literal("ready"),
    path: z.string(),
    content: z.string(),
    encoding: z.enum(["utf-8", "base64"]),
    size: z.int().describe("Bytes of the file"),
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
  })
  .meta({ id: "SavedFile" });

export function describeSaved(path: string): z.input<typeof Saved> {
  return { status: "success", message: "File saved", file_path: path, method: "workspace" };
}

export const Removed = z.object({ message: z.string(), file_path: z.string() }).meta({ id: "RemovedFile" });
