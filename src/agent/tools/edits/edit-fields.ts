import { z } from "zod";
import type { Edit } from "./apply-edit.ts";

/** The arguments of one edit, shared by the tools that edit. */
export const editFields = {
  old_str: z
    .string()
    .min(1)
    .describe("The text to replace, copied from the file with enough lines to be unique"),
  new_str: z.string().describe("The text to put in its place, written out in full"),
  expected_occurrence: z.int().min(1).default(1).describe("How often old_str must be in the file"),
  allow_multiple: z.boolean().default(false).describe("Replace every occurrence, however many there are"),
};

/** Names that models use for the same fields. */
export const editAliases = { path: "file_path", search: "old_str", replace: "new_str" };

const EditArguments = z.object(editFields);

export function toEdit(args: z.output<typeof EditArguments>): Edit {
  return {
    oldText: args.old_str,
    newText: args.new_str,
    expectedOccurrence: args.expected_occurrence,
    allowMultiple: args.allow_multiple,
  };
}
