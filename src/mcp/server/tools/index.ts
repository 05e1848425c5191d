import type { McpTool } from "../tool.ts";
import { runProjectCommand } from "./commands.ts";
import { listProjectFiles, readProjectFile, searchProjectFiles, writeProjectFile } from "./files.ts";
import { listProjects } from "./projects.ts";
import { cancelTask, getTask, listTasks, sendMessage, startTask } from "./tasks.ts";

/** All tools, in the order in which a client lists them. */
export const TOOLS: readonly McpTool[] = [
  listProjects,
  startTask,
  getTask,
  listTasks,
  cancelTask,
  sendMessage,
  listProjectFiles,
  readProjectFile,
  writeProjectFile,
  searchProjectFiles,
  runProjectCommand,
];
