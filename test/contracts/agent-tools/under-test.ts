import { runTool } from "#src/agent/tools/run-tool.ts";
import type { ToolResult } from "#src/agent/tools/tool.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

export type OpenProject = () => Promise<{ runtime: ProjectRuntime }>;

/** A project with files, and its tools. */
export async function openTools(open: OpenProject, files: Record<string, string | Uint8Array> = {}) {
  const { runtime } = await open();
  const write = async (path: string, content: string | Uint8Array) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await runtime.writeFile(path, bytes);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  return {
    runtime,
    write,
    shell: (command: string) => runtime.exec(command, { timeoutMs: 20_000 }),
    call: async (name: string, args: unknown): Promise<ToolResult> =>
      (await runTool(toolCall(name, args), toolContext({ runtime }))).result,
    text: async (path: string) => new TextDecoder().decode(await runtime.readFile(path)),
  };
}
