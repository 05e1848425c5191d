import type { McpDefinition, McpTool } from "#src/db/schema/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { headOf } from "#src/lib/head-of.ts";
import { oneLine } from "#src/lib/one-line.ts";
import { storableJson, storableText } from "#src/lib/storable-text.ts";
import type { ListedTool, ListedTools } from "#src/platform/mcp-client/mcp-client.ts";
import { toInputSchema } from "./input-schema.ts";

/** Most tools of one server that are kept. */
export const MOST_TOOLS = 200;
/** Characters of a description that a model is shown. */
const DESCRIPTION_CHARS = 1_000;
const MAX_TOOL_NAME_CHARS = 200;
/** Characters of all tools of one server as they are stored. */
const MOST_CHARS = 400_000;
const MOST_NOTES = 20;

/** What a list of tools comes to. */
export interface Pinned {
  tools: McpTool[];
  /** What was left out, and why. */
  notes: string[];
}

/**
 * The tools of a server after its owner has looked at its list. A tool that is known keeps what is known of it: what its server
 * says now, if that is something else, waits beside it until it is accepted.
 */
export function pinTools(before: readonly McpTool[], listed: ListedTools): Pinned {
  const known = new Map(before.map((tool) => [tool.name, tool]));
  const notes: string[] = [];
  const tools: McpTool[] = [];
  let chars = 0;
  for (const tool of listed.tools) {
    const name = nameOf(tool);
    const problem = problemOf(tool, tools);
    if (problem !== undefined) {
      notes.push(`${shown(name)}: ${problem}`);
      continue;
    }
    if (tools.length >= MOST_TOOLS || chars > MOST_CHARS) continue;
    const pinned = pin(known.get(name), tool);
    chars += JSON.stringify(pinned).length;
    if (pinned.problem !== null) notes.push(`${shown(name)}: ${pinned.problem}`);
    tools.push(pinned);
  }
  const more = listed.tools.length - MOST_TOOLS;
  if (more > 0) notes.push(`Only the first ${MOST_TOOLS} of ${listed.tools.length} tools are used`);
  if (chars > MOST_CHARS)
    notes.push("The descriptions of all tools together are too long: the last tools are left out");
  for (const { name, problem } of listed.refused) notes.push(`${shown(name)}: ${problem}`);
  if (listed.malformed > 0) notes.push(`${listed.malformed} entries of its list are no tools`);
  return { tools, notes: bounded(notes) };
}

/**
 * The known tools with what their server says of them now, and whether that is news. A tool that the owner has not seen is not
 * added, and one that the server no longer lists stays: a call of it says so.
 */
export function compareTools(
  before: readonly McpTool[],
  listed: ListedTools,
): { tools: McpTool[]; isNews: boolean } {
  const current = new Map(listed.tools.map((tool) => [nameOf(tool), tool]));
  const tools = before.map((tool) => {
    const now = current.get(tool.name);
    return now && tool.problem === null ? pin(tool, now) : tool;
  });
  const isNews = tools.some(({ changed }, place) => changed?.hash !== before[place]?.changed?.hash);
  return { tools, isNews };
}

/** The tools after their owner has accepted what changed, by name and hash. Undefined where that is not what is waiting. */
export function acceptTools(
  tools: readonly McpTool[],
  accepted: Readonly<Record<string, string>>,
): McpTool[] | undefined {
  const waiting = new Map(tools.map(({ name, changed }) => [name, changed?.hash]));
  if (Object.entries(accepted).some(([name, hash]) => waiting.get(name) !== hash)) return undefined;
  return tools.map((tool) =>
    tool.changed && Object.hasOwn(accepted, tool.name) ? { ...tool, ...tool.changed, changed: null } : tool,
  );
}

function pin(before: McpTool | undefined, tool: ListedTool): McpTool {
  const name = nameOf(tool);
  const converted = toInputSchema(tool.inputSchema);
  const problem = "problem" in converted ? `${converted.problem}, so it is not offered` : null;
  const definition: McpDefinition = {
    description: headOf(storableText(tool.description ?? tool.title ?? ""), DESCRIPTION_CHARS),
    inputSchema: "schema" in converted ? storableJson(converted.schema) : {},
    hash: hashOf(tool),
  };
  if (!before || before.problem !== null) return { name, ...definition, problem, changed: null };
  const { description, inputSchema, hash } = before;
  const changed = definition.hash === hash ? null : definition;
  return { name, description, inputSchema, hash, problem, changed };
}

/** A hash of all that a model or a person would go by. */
function hashOf({ name, title, description, inputSchema }: ListedTool): string {
  return sha256Hex(JSON.stringify([name, title ?? null, description ?? null, sorted(inputSchema)]));
}

/** A value whose fields are in the order of their names, so that a server may send them in any. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, part]) => [name, sorted(part)]);
}

function problemOf({ name }: ListedTool, before: readonly McpTool[]): string | undefined {
  if (name.length > MAX_TOOL_NAME_CHARS) return `its name has more than ${MAX_TOOL_NAME_CHARS} characters`;
  if (!/[A-Za-z0-9]/u.test(name)) return "its name has no letter and no digit";
  if (name !== storableText(name)) return "its name has characters that cannot be stored";
  if (before.some((tool) => tool.name === name)) return "it is in the list twice";
  return undefined;
}

const nameOf = ({ name }: ListedTool) => name;

const shown = (name: string) => oneLine(headOf(name, 80));

function bounded(notes: readonly string[]): string[] {
  const more = notes.length - MOST_NOTES;
  return more > 0 ? [...notes.slice(0, MOST_NOTES), `${more} more were left out`] : [...notes];
}
