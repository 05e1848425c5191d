import { z } from "zod";
import { counted } from "#src/lib/counted.ts";
import { editAliases, editFields, toEdit } from "./edits/edit-fields.ts";
import { editFile } from "./edits/edit-file.ts";
import { toFilePath } from "./project-path.ts";
import { defineTool } from "./tool.ts";

const MAX_EDITS = 100;

export const multiEdit = defineTool({
  name: "multi_edit",
  description:
    "Make several replacements in one existing file, all or none. They are made in order, each in what the ones before " +
    "it left; the rules of patch_file apply to each.",
  parameters: z.object({
    file_path: z.string().min(1).describe("Path relative to the project root, e.g. src/app.ts"),
    edits: z.array(z.strictObject(editFields)).min(1).max(MAX_EDITS).describe("The replacements, in order"),
  }),
  // Not idempotent: an edit whose new text contains the old one would be applied twice.
  effect: "other",
  dangerous: true,
  scope: "file.write",
  argumentAliases: editAliases,
  async run(args, { runtime }) {
    const path = toFilePath(args.file_path);
    const edited = await editFile(runtime, path, args.edits.map(toEdit));
    if (!edited.ok) return edited.failure;
    return {
      success: true,
      message: `Changed ${path}: ${counted(edited.applied.length, "edit")}.`,
      file_path: path,
      diff: edited.diff,
      details: {
        edit_count: edited.applied.length,
        applied: edited.applied,
        size_bytes: edited.sizeBytes,
        ...edited.lines,
      },
    };
  },
});
