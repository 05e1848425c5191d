import { estimateText } from "#src/models/estimate-tokens.ts";
import { headAndTail } from "./bound-text.ts";
import { boundValue } from "./bound-value.ts";
import type { ToolResult } from "./tool.ts";

/** Most characters of one text field that the model is shown: half from its start, half from its end. */
export const MODEL_FIELD_CHARS = 10_000;
/** Most characters of a whole result, without the note about the cut. */
const MODEL_RESULT_CHARS = 30_000;
const MODEL_LIST_ITEMS = 500;
/** A single-line text up to this length is shown as JSON beside the other small fields. */
const SHORT_CHARS = 200;

/**
 * Formats a result for the model: the sentence first, then every field. Small fields are one line of JSON; long texts
 * stand between tags, unescaped, so that the model can copy from them; so do the contents of a list of files. No field
 * is omitted, and a failure shows its fields like a success: the model needs the output of a failed command most. `mostTokens`
 * are shown of a result that may be longer than usual.
 */
export function toModelText(result: ToolResult, mostTokens?: number): string {
  const { field: fieldChars, whole } = boundsOf(result, mostTokens);
  const small: Record<string, unknown> = {};
  const blocks: string[] = [];
  for (const [name, value] of Object.entries(result)) {
    if (SENTENCES.has(name)) continue;
    if (typeof value === "string" && (value.length > SHORT_CHARS || value.includes("\n"))) {
      blocks.push(`<${name}>\n${headAndTail(value, fieldChars)}\n</${name}>`);
    } else if (isFileList(value)) {
      small[name] = boundValue(
        value.map((file) => ({ ...file, content: undefined })),
        { chars: MODEL_FIELD_CHARS, items: MODEL_LIST_ITEMS },
      );
      blocks.push(...value.map(contentBlock));
    } else {
      small[name] = boundValue(value, { chars: fieldChars, items: MODEL_LIST_ITEMS });
    }
  }
  const parts = [
    ...sentences(result),
    ...(Object.keys(small).length > 0 ? [JSON.stringify(small)] : []),
    ...blocks,
  ];
  return headAndTail(parts.join("\n"), whole);
}

/** Most characters of each field and of the whole: the usual ones, or those that so many tokens have at least. */
function boundsOf(result: ToolResult, mostTokens: number | undefined) {
  if (mostTokens === undefined) return { field: MODEL_FIELD_CHARS, whole: MODEL_RESULT_CHARS };
  const text = JSON.stringify(result);
  const charsPerToken = text.length / Math.max(1, estimateText(text));
  const whole = Math.floor(mostTokens * Math.min(charsPerToken, 4));
  return { field: Math.floor(whole * 0.9), whole };
}

interface FileContent {
  path: string;
  content: string;
}

function isFileList(value: unknown): value is FileContent[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFileContent);
}

function isFileContent(value: unknown): value is FileContent {
  if (typeof value !== "object" || value === null || !("path" in value) || !("content" in value))
    return false;
  return typeof value.path === "string" && typeof value.content === "string";
}

function contentBlock({ path, content }: FileContent): string {
  return `<content path=${JSON.stringify(path)}>\n${headAndTail(content, MODEL_FIELD_CHARS)}\n</content>`;
}

const SENTENCES: ReadonlySet<string> = new Set(["success", "message", "error", "suggestion"]);

function sentences(result: ToolResult): string[] {
  const first = result.success ? result.message : `Error: ${result.error}`;
  const { suggestion } = result;
  const lines = typeof suggestion === "string" ? [first, `Suggestion: ${suggestion}`] : [first];
  return lines.map((line) => headAndTail(line, MODEL_FIELD_CHARS));
}
