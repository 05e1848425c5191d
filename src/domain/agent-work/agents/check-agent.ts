import { checkModelId } from "#src/domain/models/model-keys/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { AgentValues } from "./queries.ts";

export interface AgentRules {
  modelSettings: ModelSettings;
  /** The name of the tool that goes by this name or alias; the rules of agents do not know the tools themselves. */
  toolNamed(name: string): string | undefined;
}

/**
 * What a person says of an agent, with the tools under their own names. Throws `invalid_input` for a tool or a model that does
 * not exist. Whether there is a key for a model shows when a person works with it: it is theirs.
 */
export function checkAgent<T extends Partial<AgentValues>>(rules: AgentRules, wish: T): T {
  if (wish.model) checkModelId(rules.modelSettings, wish.model);
  return wish.tools ? { ...wish, tools: toolsOf(rules, wish.tools) } : wish;
}

function toolsOf(rules: AgentRules, names: readonly string[]): string[] {
  const tools = names.map((name) => {
    const tool = rules.toolNamed(name);
    if (tool === undefined) throw new AppError("invalid_input", `tools: There is no tool '${name}'`);
    return tool;
  });
  return [...new Set(tools)];
}
