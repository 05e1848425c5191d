import type { ToolDefinition } from "#src/models/model.ts";
import { bashExec } from "./bash-exec.ts";
import { getProjectInfo } from "./get-project-info.ts";
import { gitBlame } from "./git-blame.ts";
import { gitDiff } from "./git-diff.ts";
import { gitLog } from "./git-log.ts";
import { gitStatus } from "./git-status.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { listDir } from "./list-dir.ts";
import { manageSchedule } from "./manage-schedule.ts";
import { memoryRead } from "./memory-read.ts";
import { missingScope } from "./missing-scope.ts";
import { memoryWrite } from "./memory-write.ts";
import { multiEdit } from "./multi-edit.ts";
import { patchFile } from "./patch-file.ts";
import { readFile } from "./read-file.ts";
import { sendMessage } from "./send-message.ts";
import { shellClose } from "./shells/shell-close.ts";
import { shellExec } from "./shells/shell-exec.ts";
import { shellOpen } from "./shells/shell-open.ts";
import { writeStdin } from "./shells/write-stdin.ts";
import { readManyFiles } from "./read-many-files.ts";
import { todos } from "./todos.ts";
import type { Tool, ToolServices } from "./tool.ts";
import { webFetch } from "./web/web-fetch.ts";
import { webSearch } from "./web/web-search.ts";
import { updatePlan } from "./update-plan.ts";
import { viewImage } from "./view-image.ts";
import { writeFile } from "./write-file.ts";

/** Every tool of the agent, in the order in which the model is shown them. */
export const tools: readonly Tool[] = [
  readFile,
  writeFile,
  patchFile,
  multiEdit,
  readManyFiles,
  viewImage,
  listDir,
  glob,
  grep,
  bashExec,
  gitStatus,
  gitDiff,
  gitLog,
  gitBlame,
  todos,
  updatePlan,
  memoryRead,
  memoryWrite,
  getProjectInfo,
  shellOpen,
  shellExec,
  writeStdin,
  shellClose,
  webFetch,
  webSearch,
  sendMessage,
  manageSchedule,
];

/** In an agent's list of tools: those of all MCP servers, whose names differ from task to task. */
export const MCP_TOOLS = "mcp";

const byName: ReadonlyMap<string, Tool> = new Map(
  tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)),
);

/** Finds a tool by its name or an alias, also among the foreign ones of a task. */
export function findTool(name: string, { foreign }: Pick<ToolServices, "foreign"> = {}): Tool | undefined {
  return byName.get(name) ?? foreign?.find(name);
}

/** Whether a call may change the project. Foreign tools do not reach it. */
export function mayChange(name: string): boolean {
  return (findTool(name)?.effect ?? "read") !== "read";
}

/** Returns the tools that a task can use: they are configured, and the task's key grants them; null grants all. */
export function offeredTools(services: ToolServices, scopes: readonly string[] | null): readonly Tool[] {
  const all = [...tools, ...(services.foreign?.tools ?? [])];
  return all.filter((tool) => tool.isOffered(services) && missingScope(tool, scopes) === undefined);
}

/** Returns the tools' definitions for the model; the same at every call of a task, so that providers can cache them. */
export function toolDefinitions(services: ToolServices, scopes: readonly string[] | null): ToolDefinition[] {
  return offeredTools(services, scopes).map(({ definition }) => definition);
}
