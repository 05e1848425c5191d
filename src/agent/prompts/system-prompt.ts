import { MODE_SENTENCES, PROJECT_INSTRUCTIONS_HEADING, SYSTEM_PROMPT, type PromptMode } from "./system.ts";

export interface SystemPromptInput {
  project: { name: string; description: string };
  toolNames: readonly string[];
  /** When the task began: the same at each of its turns, or no provider could cache the prompt. */
  now: Date;
  userName: string;
  /** Allow where nobody chose one. */
  mode?: PromptMode | undefined;
  /** What the agent's own page adds; it may use the same markers. */
  agentInstructions?: string | undefined;
  /** What `readProjectInstructions` read. Data of the project's owner: markers in it stay as they are. */
  projectInstructions?: string | undefined;
}

/**
 * The system prompt of a task. Markers such as `{project_name}` are filled in once, so a marker inside a value stays as
 * it is, and so does a marker that names nothing.
 *
 * In this order, each part changing more often than the one before: the service's own text, the agent's, the project's
 * AGENTS.md, the mode.
 */
export function renderSystemPrompt(input: SystemPromptInput): string {
  const mode = MODE_SENTENCES[input.mode ?? "allow"];
  const values: ReadonlyMap<string, string> = new Map([
    ["mode", mode],
    ["project_name", oneLine(input.project.name)],
    ["project_description", oneLine(input.project.description) || "none"],
    ["project_path", "."],
    ["timestamp", input.now.toISOString()],
    ["date", input.now.toISOString().slice(0, 10)],
    ["user_name", oneLine(input.userName)],
    ["tool_list", input.toolNames.join(", ")],
  ]);
  const fill = (text: string) =>
    text.replaceAll(/\{(?<name>\w+)\}/g, (marker, name: string) => values.get(name) ?? marker);
  const agents = input.agentInstructions?.trim() ?? "";
  const projects = input.projectInstructions?.trim() ?? "";
  return [
    fill(SYSTEM_PROMPT),
    ...(agents === "" ? [] : [`# Instructions of this agent\n${fill(agents)}\n`]),
    ...(projects === "" ? [] : [`${PROJECT_INSTRUCTIONS_HEADING}\n${fenced(projects)}\n`]),
    `# Mode\n${mode}\n`,
  ].join("\n");
}

/** A text between tags that nothing in it can end. */
function fenced(text: string): string {
  return `<agents_md>\n${text.replaceAll(/<(?=\s*\/?\s*agents_md)/giu, "&lt;")}\n</agents_md>`;
}

/** A value on a line of its own cannot pass for a heading or an instruction of the prompt. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
