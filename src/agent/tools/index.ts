import type { ToolDefinition } from "#src/models/model.ts";
import { bashExec } from "./bash-exec.ts";
import { getProjectInfo } from "./get-project-info.ts";
import { multiEdit } from "./multi-edit.ts";
import { patchFile } from "./patch-file.ts";
import { readFile } from "./read-file.ts";
import { todos } from "./todos.ts";
import type { Tool } from "./tool.ts";
import { writeFile } from "./write-file.ts";

/** Every tool the agent has, in the order the model is shown them. */
export const tools: readonly Tool[] = [
  readFile,
  writeFile,
  patchFile,
  multiEdit,
  bashExec,
  todos,
  getProjectInfo,
];

const byName: ReadonlyMap<string, Tool> = new Map(
  tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)),
);

/** The tool a call names, by its name or an alias. */
export function findTool(name: string): Tool | undefined {
  return byName.get(name);
}

/** Whether a call may do more than read. */
export function mayChange(name: string): boolean {
  return (findTool(name)?.effect ?? "read") !== "read";
}

/** What the model is told of the tools; the same at every call, so that providers can cache it. */
export function toolDefinitions(): ToolDefinition[] {
  return tools.map(({ definition }) => definition);
}
