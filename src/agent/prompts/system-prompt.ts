import { SYSTEM_PROMPT } from "./system.ts";

export interface SystemPromptInput {
  project: { name: string; description: string };
  toolNames: readonly string[];
  /** When the task began: the same at each of its turns, or no provider could cache the prompt. */
  now: Date;
  userName: string;
  /** What the agent's own page adds; it may use the same markers. */
  agentInstructions?: string | undefined;
}

/**
 * The system prompt of a task. Markers such as `{project_name}` are filled in once, so a marker inside a value stays as
 * it is, and so does a marker that names nothing.
 */
export function renderSystemPrompt(input: SystemPromptInput): string {
  const values: ReadonlyMap<string, string> = new Map([
    ["project_name", oneLine(input.project.name)],
    ["project_description", oneLine(input.project.description) || "none"],
    ["timestamp", input.now.toISOString()],
    ["user_name", oneLine(input.userName)],
    ["tool_list", input.toolNames.join(", ")],
  ]);
  const fill = (text: string) =>
    text.replaceAll(/\{(?<name>\w+)\}/g, (marker, name: string) => values.get(name) ?? marker);
  const instructions = input.agentInstructions?.trim() ?? "";
  const prompt = fill(SYSTEM_PROMPT);
  return instructions === "" ? prompt : `${prompt}\n# Instructions of this agent\n${fill(instructions)}\n`;
}

/** A value on a line of its own cannot pass for a heading or an instruction of the prompt. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
