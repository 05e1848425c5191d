import {
  FOREIGN_TOOLS,
  MODE_SENTENCES,
  PROJECT_INSTRUCTIONS_HEADING,
  SCHEDULED_RUN,
  SHARED_CHAT,
  SYSTEM_PROMPT,
  type PromptMode,
} from "./system.ts";

export interface SystemPromptInput {
  project: { name: string; description: string };
  toolNames: readonly string[];
  /** Start of the task: the same at each of its turns, so that providers can cache the prompt. */
  now: Date;
  userName: string;
  /** The edit mode; `allow` by default. */
  mode?: PromptMode | undefined;
  /** Text from the agent's own page; it may use the same markers. */
  agentInstructions?: string | undefined;
  /** Whether the task is a run of a schedule; false by default. */
  isScheduled?: boolean | undefined;
  /** Whether there are tools of MCP servers; false by default. */
  hasForeignTools?: boolean | undefined;
  /** Whether several people have written in the chat, so that messages say who wrote them; false by default. */
  isShared?: boolean | undefined;
  /** Result of `readProjectInstructions`. This is data of the project's owner: markers in it are not filled in. */
  projectInstructions?: string | undefined;
}

/**
 * Renders the system prompt of a task. Markers such as `{project_name}` are filled in once: a marker inside a value
 * stays as it is, and so does an unknown marker.
 *
 * The parts are ordered from the most to the least stable: the service's own text, the agent's, the project's
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
    ...(input.hasForeignTools ? [FOREIGN_TOOLS] : []),
    ...(input.isShared ? [SHARED_CHAT] : []),
    `# Mode\n${mode}\n`,
    ...(input.isScheduled ? [SCHEDULED_RUN] : []),
  ].join("\n");
}

/** Puts a text between tags, so that nothing in the text can end them. */
function fenced(text: string): string {
  return `<agents_md>\n${text.replaceAll(/<(?=\s*\/?\s*agents_md)/giu, "&lt;")}\n</agents_md>`;
}

/** Puts a value on one line, so that it cannot pass for a heading or an instruction of the prompt. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
