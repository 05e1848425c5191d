import { createTwoFilesPatch } from "diff";
import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import { isNote, linkOnTheWay } from "../notes/links.ts";
import { countLines, readTextFile } from "../text-file.ts";
import { failure, type ToolFailure } from "../tool.ts";
import { refuseMarks } from "./hidden-secrets.ts";
import { applyEdit, type Edit, type EditStrategy } from "./apply-edit.ts";

export interface AppliedEdit {
  strategy: EditStrategy;
  occurrences: number;
}

type FileEdit =
  | {
      ok: true;
      diff: string | undefined;
      /** Of the diff; absent without one. */
      lines: { lines_added: number; lines_removed: number } | undefined;
      sizeBytes: number;
      applied: AppliedEdit[];
    }
  | { ok: false; failure: ToolFailure };

/** Most changed lines for which a diff is made; its cost grows with their square, and with the lines of the file. */
const CHANGED_LINES = 1_000;
/** Most lines of a file, before and after together, for which a diff is made. */
const DIFF_LINES = 50_000;

/**
 * Applies edits to one file, each to the result of the one before, and writes the file once at the end: if any of them
 * cannot be applied, nothing is written. `diff` is undefined when too much changed, or the file has too many lines.
 */
export async function editFile(
  runtime: AgentRuntime,
  path: string,
  edits: readonly Edit[],
): Promise<FileEdit> {
  const refusal = refuseMarks(edits.map(({ newText }) => newText));
  if (refusal) return { ok: false, failure: refusal };
  const link = isNote(path) ? await linkOnTheWay(runtime, path) : undefined;
  if (link) return { ok: false, failure: link };
  const file = await readTextFile(runtime, path);
  if (!file.ok) return file;
  let text = file.text;
  const applied: AppliedEdit[] = [];
  for (const [index, edit] of edits.entries()) {
    // A search may take some tenths of a second: yield to other work in between.
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 0));
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
  const diff = diffOf(path, file.text, text);
  return {
    ok: true,
    diff,
    lines: diff === undefined ? undefined : linesIn(diff),
    sizeBytes: bytes.length,
    applied,
  };
}

function diffOf(path: string, before: string, after: string): string | undefined {
  if (countLines(before) + countLines(after) > DIFF_LINES) return undefined;
  const options = { context: 3, maxEditLength: CHANGED_LINES };
  const diff = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, options);
  return diff?.replace(/^=+\n/, "");
}

/** The lines that a diff adds and takes away, without those that name the files, which stand before the first `@@`. */
function linesIn(diff: string): { lines_added: number; lines_removed: number } {
  const lines = diff.slice(Math.max(0, diff.indexOf("\n@@"))).split("\n");
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { lines_added: count("+"), lines_removed: count("-") };
}
