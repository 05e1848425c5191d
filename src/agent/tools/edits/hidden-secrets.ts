import { failure, type ToolFailure } from "../tool.ts";

/**
 * The marker that replaces a secret in everything the model reads; see src/agent/scrubbing. The bound on the name keeps
 * unterminated markers from being scanned to the end of their line each.
 */
const MARK = /«secret(?::[^»\n]{0,256})?»/u;

/**
 * Returns the failure of a write whose text holds the marker of a hidden secret: in a file the marker would replace the
 * real value. Undefined for a text without one.
 */
export function refuseMarks(texts: readonly string[]): ToolFailure | undefined {
  const mark = texts.map((text) => MARK.exec(text)?.[0]).find((each) => each !== undefined);
  if (mark === undefined) return undefined;
  return failure(
    `The text holds ${mark}, which only stands for a secret that you are not shown: nothing was written.`,
    "Leave the lines with secrets as they are, and change the others with patch_file or multi_edit.",
  );
}
