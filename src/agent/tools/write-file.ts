import { z } from "zod";
import { counted } from "#src/lib/counted.ts";
import { refuseMarks } from "./edits/hidden-secrets.ts";
import { isNote, linkOnTheWay } from "./notes/links.ts";
import { toFilePath } from "./project-path.ts";
import { countLines } from "./text-file.ts";
import { defineTool } from "./tool.ts";

const PREVIEW_LINES = 10;

export const writeFile = defineTool({
  name: "write_file",
  description:
    "Create a file, or replace the whole content of one, making the directories it needs. To change a part of a file " +
    "use patch_file or multi_edit.",
  parameters: z.object({
    file_path: z.string().min(1).describe("Path relative to the project root, e.g. src/app.ts"),
    content: z.string().describe("The complete content of the file"),
  }),
  effect: "idempotent",
  dangerous: true,
  scope: "file.write",
  argumentAliases: { path: "file_path" },
  async run({ file_path, content }, { runtime }) {
    const path = toFilePath(file_path);
    const refusal = refuseMarks([content]);
    if (refusal) return refusal;
    const link = isNote(path) ? await linkOnTheWay(runtime, path) : undefined;
    if (link) return link;
    const bytes = new TextEncoder().encode(content);
    await runtime.writeFile(path, bytes);
    const lines = countLines(content);
    return {
      success: true,
      message: `Wrote ${path}: ${counted(lines, "line")}, ${counted(bytes.length, "byte")}.`,
      file_path: path,
      preview: previewOf(content),
      details: { size_bytes: bytes.length, line_count: lines },
    };
  },
});

/** Returns up to ten lines whole; of more, the first five and the last five. */
function previewOf(content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  if (lines.length <= PREVIEW_LINES) return lines.join("\n");
  const half = PREVIEW_LINES / 2;
  return [
    ...lines.slice(0, half),
    `[... ${lines.length - PREVIEW_LINES} lines ...]`,
    ...lines.slice(-half),
  ].join("\n");
}
