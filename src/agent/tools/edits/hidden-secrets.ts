import { failure, type ToolFailure } from "../tool.ts";

/**
 * What stands for a secret in all that the model reads; see src/agent/scrubbing. The name has a bound, or marks that do not end
 * would be read to the end of their line each.
 */
const MARK = /«secret(?::[^»\n]{0,256})?»/u;

/**
 * The failure of a write whose text holds the mark of a hidden secret: written to a file it would take the place of the real
 * value. `undefined` for a text without one.
 */
export function refuseMarks(texts: readonly string[]): ToolFailure | undefined {
  const mark = texts.map((text) => MARK.exec(text)?.[0]).find((each) => each !== undefined);
  if (mark === undefined) return undefined;
  return failure(
    `The text holds ${mark}, which only stands for a secret that you are not shown: nothing was written.`,
    "Leave the lines with secrets as they are, and change the others with patch_file or multi_edit.",
  );
}
