import { z } from "zod";
import { editAliases, editFields, toEdit } from "./edits/edit-fields.ts";
import { editFile } from "./edits/edit-file.ts";
import { toFilePath } from "./project-path.ts";
import { defineTool } from "./tool.ts";

export const patchFile = defineTool({
  name: "patch_file",
  description:
    "Replace a part of an existing file. old_str must be in the file exactly expected_occurrence times; small " +
    "differences in white space or spelling are forgiven when the place is unmistakable. Creates no files.",
  parameters: z.object({
    file_path: z.string().min(1).describe("Path relative to the project root, e.g. src/app.ts"),
    ...editFields,
  }),
  // Not idempotent: an edit whose new text contains the old one would be applied twice.
  effect: "other",
  dangerous: true,
  scope: "file.write",
  argumentAliases: editAliases,
  async run(args, { runtime }) {
    const path = toFilePath(args.file_path);
    const edited = await editFile(runtime, path, [toEdit(args)]);
    if (!edited.ok) return edited.failure;
    const [applied] = edited.applied;
    return {
      success: true,
      message: `Changed ${path}.`,
      file_path: path,
      diff: edited.diff,
      details: {
        strategy: applied?.strategy,
        occurrences: applied?.occurrences,
        size_bytes: edited.sizeBytes,
        ...edited.lines,
      },
    };
  },
});
