import type { WebSearch } from "#src/platform/web-search/web-search.ts";
import { agentMessages, agentOutlets, type AgentMessageDeps } from "./messages.ts";
import { agentSchedules, type AgentScheduleDeps } from "./schedules.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import { agentShells, type AgentShellDeps } from "./shells.ts";
import type { ForeignTools, ToolServices } from "../tools/tool.ts";

export interface ToolDeps
  extends
    Omit<AgentShellDeps, "config">,
    Omit<AgentMessageDeps, "config">,
    Omit<AgentScheduleDeps, "config" | "channels"> {
  webSearch: WebSearch | undefined;
  config: AgentShellDeps["config"] & AgentMessageDeps["config"] & AgentScheduleDeps["config"];
}

type ServedTask = Parameters<typeof agentShells>[1] &
  Parameters<typeof agentSchedules>[1] & { origin: string };

/** The services that a task's tools use, bound to its user, project and chat. */
export function toolServices(
  deps: ToolDeps,
  task: ServedTask,
  { secrets, mcp }: { secrets: Pick<RunSecrets, "known">; mcp?: ForeignTools | undefined },
): ToolServices {
  return {
    foreign: mcp,
    safeFetch: deps.safeFetch,
    webSearch: deps.webSearch,
    shells: agentShells(deps, task),
    messages: agentMessages(agentOutlets(deps, task, secrets)),
    schedules: task.origin === "schedule" ? undefined : agentSchedules(deps, task),
  };
}
