import { attachmentsOf } from "#src/domain/agent-work/attachments/index.ts";
import type { ClaimedTask } from "#src/domain/agent-work/tasks/index.ts";
import type { ToolDefinition, UserContent } from "#src/models/model.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { isToolOf } from "../turns/gate.ts";
import { readProjectInstructions } from "../prompts/project-instructions.ts";
import { renderSystemPrompt } from "../prompts/system-prompt.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import { scrubText } from "../scrubbing/scrub.ts";
import { toolServices, type ToolDeps } from "../services/tool-services.ts";
import { toolDefinitions } from "../tools/index.ts";
import { grants } from "../tools/missing-scope.ts";
import type { ForeignTools, ToolServices } from "../tools/tool.ts";
import { signed } from "../context/authors.ts";
import { toUserMessage, withContext, withMentions } from "../context/user-message.ts";

/** What all turns of a step share. */
export interface Prepared {
  services: ToolServices;
  tools: ToolDefinition[];
  system: string;
  message: UserContent;
}

/**
 * Prepares the agent's tools, the system prompt with the project's instructions, and the message with its attachments.
 */
export async function prepareTurns(
  deps: ToolDeps & { workspaces: Pick<ProjectWorkspaces, "runtime"> },
  claimed: ClaimedTask,
  {
    runtime,
    secrets,
    mcp,
    isShared,
  }: {
    runtime: Pick<ProjectRuntime, "readFile">;
    secrets: RunSecrets;
    mcp?: ForeignTools | undefined;
    isShared: boolean;
  },
): Promise<Prepared> {
  const { task, project, agent, userName, messageMetadata } = claimed;
  const services = toolServices(deps, task, { secrets, mcp });
  const tools = toolDefinitions(services, task.scopes).filter(({ name }) => isToolOf(agent, name));
  const [known, instructions] = await Promise.all([
    secrets.known(),
    // The instructions are a file of the project, and the model would repeat them: reading them needs the scope.
    grants(task.scopes, "file.read") ? readProjectInstructions(deps.workspaces.runtime(project.id)) : "",
  ]);
  const said = isShared ? signed(task.message, userName) : task.message;
  const asked = withContext(withMentions(said, messageMetadata), messageMetadata, (text) =>
    scrubText(text, known),
  );
  const message = await toUserMessage(asked, attachmentsOf(messageMetadata), (path) =>
    runtime.readFile(path),
  );
  const system = renderSystemPrompt({
    project,
    toolNames: tools.map(({ name }) => name),
    now: task.createdAt,
    userName,
    mode: task.editMode,
    agentInstructions: agent.systemPrompt,
    hasForeignTools: tools.some(({ name }) => mcp?.find(name) !== undefined),
    isShared,
    isScheduled: task.origin === "schedule",
    projectInstructions: scrubText(instructions, known),
  });
  return { services, tools, system, message };
}
