import { z } from "zod";
import { counted } from "#src/lib/counted.ts";
import { toFilePath } from "./project-path.ts";
import { countLines, readTextFile } from "./text-file.ts";
import { MODEL_FIELD_CHARS } from "./to-model-text.ts";
import { defineTool, failure } from "./tool.ts";

export const readFile = defineTool({
  name: "read_file",
  description:
    "Read a text file of the project. Of a long file you see the beginning and the end; read the rest in ranges with " +
    "offset and limit. Read a file before you change it.",
  parameters: z.object({
    file_path: z.string().min(1).describe("Path relative to the project root, e.g. src/app.ts"),
    offset: z.int().min(1).optional().describe("First line to read, counted from 1"),
    limit: z.int().min(1).optional().describe("Number of lines to read"),
  }),
  effect: "read",
  scope: "file.read",
  argumentAliases: { path: "file_path" },
  async run({ file_path, offset, limit }, { runtime }) {
    const path = toFilePath(file_path);
    const file = await readTextFile(runtime, path);
    if (!file.ok) return file.failure;

    const lines = countLines(file.text);
    const details = { size_bytes: file.sizeBytes, lines };
    if (offset === undefined && limit === undefined) {
      const message = `Read ${path}: ${counted(lines, "line")}, ${counted(file.sizeBytes, "byte")}.`;
      return { success: true, message, ...hint(file.text), file_path: path, content: file.text, details };
    }
    const first = offset ?? 1;
    if (first > Math.max(lines, 1)) {
      return failure(`${path} has ${counted(lines, "line")}; there is no line ${first}.`, undefined, {
        file_path: path,
        details,
      });
    }
    const last = limit === undefined ? lines : Math.min(first - 1 + limit, lines);
    const content = file.text
      .split("\n")
      .slice(first - 1, last)
      .join("\n");
    const message = `Read lines ${first} to ${last} of the ${lines} of ${path}.`;
    return { success: true, message, ...hint(content), file_path: path, content, details };
  },
});

function hint(content: string): { suggestion?: string } {
  return content.length > MODEL_FIELD_CHARS
    ? { suggestion: "The middle is cut below: read it in ranges with offset and limit." }
    : {};
}
