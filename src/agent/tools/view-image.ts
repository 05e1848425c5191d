import { z } from "zod";
import { sha256Bytes } from "#src/lib/hash.ts";
import { IMAGE_DETAILS, IMAGE_MIME_TYPES } from "#src/models/model.ts";
import { base64CharsOf, pictureProblem } from "#src/models/picture-limits.ts";
import { readPicture } from "#src/models/picture.ts";
import { toFilePath } from "./project-path.ts";
import { defineTool, failure } from "./tool.ts";

const SMALLER = "Make a smaller copy of it and look at that.";

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
    const tooLarge = pictureProblem(model.name, { base64Chars: base64CharsOf(entry.size) });
    if (tooLarge) return failure(`${path} ${tooLarge}.`, SMALLER);
    const bytes = await runtime.readFile(path);
    if (!bytes) return failure(`There is no file ${path}.`, "list_dir and glob show what is there.");
    const head = readPicture(bytes);
    if (!head) {
      return failure(
        `${path} is not a supported picture, or it is damaged.`,
        "Supported are PNG, JPEG, GIF and WebP.",
      );
    }
    const { mimeType, width, height } = head;
    const problem = pictureProblem(model.name, {
      base64Chars: base64CharsOf(bytes.length),
      size: { width, height },
    });
    if (problem) return failure(`${path} ${problem}.`, SMALLER);
    const details = { size_bytes: bytes.length, mime_type: mimeType, width, height };
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
