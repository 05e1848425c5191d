import { createTwoFilesPatch } from "diff";
import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import { readTextFile } from "../text-file.ts";
import { failure, type ToolFailure } from "../tool.ts";
import { refuseMarks } from "./hidden-secrets.ts";
import { applyEdit, type Edit, type EditStrategy } from "./apply-edit.ts";

export interface AppliedEdit {
  strategy: EditStrategy;
  occurrences: number;
}

type FileEdit =
  | { ok: true; diff: string | undefined; sizeBytes: number; applied: AppliedEdit[] }
  | { ok: false; failure: ToolFailure };

/** Changed lines up to which a diff is made; its cost grows with the square. */
const DIFF_LINES = 2_000;

/**
 * Apply edits to one file, each to what the one before it made, and write the file once at the end: when any of them
 * cannot be applied nothing is written. `diff` is undefined when too much changed for one.
 */
export async function editFile(
  runtime: AgentRuntime,
  path: string,
  edits: readonly Edit[],
): Promise<FileEdit> {
  const refusal = refuseMarks(edits.map(({ newText }) => newText));
  if (refusal) return { ok: false, failure: refusal };
  const file = await readTextFile(runtime, path);
  if (!file.ok) return file;
  let text = file.text;
  const applied: AppliedEdit[] = [];
  for (const [index, edit] of edits.entries()) {
    const outcome = applyEdit(text, edit);
    if (!outcome.ok) {
      const where = edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : "";
      const fields = { file_path: path, ...(edits.length > 1 ? { failed_edit: index + 1 } : {}) };
      return {
        ok: false,
        failure: failure(
          `${where}${outcome.error} Nothing was written to ${path}.`,
          outcome.suggestion,
          fields,
        ),
      };
    }
    text = outcome.text;
    applied.push({ strategy: outcome.strategy, occurrences: outcome.occurrences });
  }
  const bytes = new TextEncoder().encode(text);
  await runtime.writeFile(path, bytes);
  const options = { context: 3, maxEditLength: DIFF_LINES };
  const diff = createTwoFilesPatch(`a/${path}`, `b/${path}`, file.text, text, undefined, undefined, options);
  return { ok: true, diff: diff?.replace(/^=+\n/, ""), sizeBytes: bytes.length, applied };
}
