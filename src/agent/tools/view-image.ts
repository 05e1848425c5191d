import { z } from "zod";
import { sha256Bytes } from "#src/lib/hash.ts";
import {
  IMAGE_BASE64_CHARS,
  IMAGE_DETAILS,
  IMAGE_MIME_TYPES,
  type ImageMimeType,
} from "#src/models/model.ts";
import { toFilePath } from "./project-path.ts";
import { defineTool, failure } from "./tool.ts";

/** Largest picture that models accept: the bytes that `IMAGE_BASE64_CHARS` of base64 encode. */
const IMAGE_BYTES = Math.floor(IMAGE_BASE64_CHARS / 4) * 3;

/** The fields of a result that identify the picture shown beside it. */
export const ShownPicture = z.object({
  path: z.string(),
  mime_type: z.enum(IMAGE_MIME_TYPES),
  detail: z.enum(IMAGE_DETAILS),
  /** Hash of the file as it was shown, so that a changed file is not mistaken for it. */
  sha256: z.string(),
});
export type ShownPicture = z.infer<typeof ShownPicture>;

export const viewImage = defineTool({
  name: "view_image",
  description:
    "Look at a picture of the project (PNG, JPEG, GIF or WebP): a screenshot, a design, a chart. You see it beside the result.",
  parameters: z.object({
    path: z.string().min(1).describe("Path relative to the project root, e.g. docs/screen.png"),
    detail: z
      .enum(IMAGE_DETAILS)
      .default("auto")
      .describe("How closely to look, for models that know the difference: low costs fewer tokens"),
  }),
  effect: "read",
  scope: "file.read",
  argumentAliases: { file_path: "path" },
  async run({ path: asked, detail }, { runtime, model }) {
    if (!model.seesPictures) {
      return failure(
        `${model.name} cannot see pictures.`,
        "Go on without it, or tell the user that this needs a model that can.",
      );
    }
    const path = toFilePath(asked);
    const entry = await runtime.stat(path);
    if (!entry) return failure(`There is no file ${path}.`, "list_dir and glob show what is there.");
    if (entry.kind === "directory") return failure(`${path} is a directory.`, "Name a file in it.");
    if (entry.size > IMAGE_BYTES) {
      return failure(
        `${path} is too large to be seen: ${entry.size} bytes, the limit is ${IMAGE_BYTES}.`,
        "Make a smaller copy of it and look at that.",
      );
    }
    const bytes = await runtime.readFile(path);
    if (!bytes) return failure(`There is no file ${path}.`, "list_dir and glob show what is there.");
    const mimeType = typeOf(bytes);
    if (!mimeType) {
      return failure(`${path} is not a supported picture.`, "Supported are PNG, JPEG, GIF and WebP.");
    }
    const details = { size_bytes: bytes.length, mime_type: mimeType };
    const picture = { path, mime_type: mimeType, detail, sha256: sha256Bytes(bytes) };
    return {
      success: true,
      message: `You see ${path} beside this result.`,
      file_path: path,
      details,
      picture,
    };
  },
});

/**
 * Detects a file's type by its first bytes, whatever its name says, because providers refuse a picture that is not of
 * the declared type. Sources: https://www.w3.org/TR/png-3/#5PNG-file-signature,
 * https://www.w3.org/Graphics/GIF/spec-gif89a.txt, https://developers.google.com/speed/webp/docs/riff_container
 */
function typeOf(bytes: Uint8Array): ImageMimeType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1A\n")) return "image/png";
  if (head.startsWith("\xFF\xD8\xFF")) return "image/jpeg";
  if (/^GIF8[79]a/u.test(head)) return "image/gif";
  return /^RIFF[^]{4}WEBP/u.test(head) ? "image/webp" : undefined;
}
