import { checkModelId } from "#src/domain/models/model-keys/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isPlatformId, type ModelSettings } from "#src/models/settings.ts";
import type { Agent, AgentValues } from "./queries.ts";

export interface AgentRules {
  modelSettings: ModelSettings;
  /** The tool's own name for a name or alias; the domain does not know the tools themselves. */
  toolNamed(name: string): string | undefined;
}

/**
 * Validates an agent's values, and returns them with the tools under their own names. Throws `invalid_input` for an
 * unknown tool or model. Does not check for a key of the model's provider, because keys belong to the people who use
 * the agent.
 */
export function checkAgent<T extends Partial<AgentValues>>(rules: AgentRules, wish: T): T {
  if (wish.model) checkModelId(rules.modelSettings, wish.model);
  return wish.tools ? { ...wish, tools: toolsOf(rules, wish.tools) } : wish;
}

/** Throws `invalid_input` for a closed agent with a model that is not the platform's: no other team could use it. */
export function checkClosed(
  { modelSettings }: Pick<AgentRules, "modelSettings">,
  { sourceType, model }: Pick<Agent, "sourceType" | "model">,
): void {
  if (sourceType === "open" || model === null || isPlatformId(model, modelSettings.platformModels)) return;
  throw new AppError(
    "invalid_input",
    `model: only models of the platform may read the prompt of a closed agent. Choose one of them in place of ${model}`,
  );
}

function toolsOf(rules: AgentRules, names: readonly string[]): string[] {
  const tools = names.map((name) => {
    const tool = rules.toolNamed(name);
    if (tool === undefined) throw new AppError("invalid_input", `tools: There is no tool '${name}'`);
    return tool;
  });
  return [...new Set(tools)];
}
