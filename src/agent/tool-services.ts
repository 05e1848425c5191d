import type { WebSearch } from "#src/platform/web-search/web-search.ts";
import { agentMessages, agentOutlets, type AgentMessageDeps } from "./messages.ts";
import type { RunSecrets } from "./scrubbing/run-secrets.ts";
import { agentShells, type AgentShellDeps } from "./shells.ts";
import type { ToolServices } from "./tools/tool.ts";

export interface ToolDeps extends Omit<AgentShellDeps, "config">, Omit<AgentMessageDeps, "config"> {
  webSearch: WebSearch | undefined;
  config: AgentShellDeps["config"] & AgentMessageDeps["config"];
}

/** The services that a task's tools use, bound to its user, project and chat. */
export function toolServices(
  deps: ToolDeps,
  task: { id: string; userId: string; projectId: string; chatId: string; apiKeyId: string | null },
  secrets: Pick<RunSecrets, "known">,
): ToolServices {
  return {
    safeFetch: deps.safeFetch,
    webSearch: deps.webSearch,
    shells: agentShells(deps, task),
    messages: agentMessages(agentOutlets(deps, task, secrets)),
  };
}
