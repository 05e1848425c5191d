import { z } from "zod";
import { defineTool, type Tool } from "../tools/tool.ts";

/** The tool by which a model finds others, where there are more than it is shown. */
export const FIND_TOOLS = "find_tools";

/** Most tools that one search finds. */
const MOST_FOUND = 8;
/** Characters of a description in the result; the definition that the model is shown from then on has more. */
const DESCRIPTION_CHARS = 200;

const Found = z.object({ found: z.array(z.object({ name: z.string() })) });

/** Makes the tool for these tools. What it finds is a result of the task, so that a later executor shows the same. */
export function findTools(tools: readonly Tool[]): Tool {
  return defineTool({
    name: FIND_TOOLS,
    description: `Find tools of MCP servers by words for what they do. There are ${tools.length}, of which you are shown only those that you have found; call them by their names from your next turn on.`,
    parameters: z.object({
      query: z.string().min(1).max(500).describe("Words, such as: create issue, list tables"),
    }),
    effect: "read",
    scope: "mcp.view",
    run: async ({ query }) => {
      const found = ranked(tools, query).map(({ name, definition }) => ({
        name,
        description: definition.description.slice(0, DESCRIPTION_CHARS),
      }));
      return { success: true, message: messageOf(found.length), found };
    },
  });
}

/** The names that results of `find_tools` have told, oldest first. */
export function namesFound(calls: readonly { name: string; result: unknown }[]): string[] {
  const results = calls
    .filter(({ name }) => name === FIND_TOOLS)
    .map(({ result }) => Found.safeParse(result).data);
  return [...new Set(results.flatMap((result) => result?.found.map(({ name }) => name) ?? []))];
}

function messageOf(count: number): string {
  if (count === 0) return "No tool has any of these words. Try others.";
  return `${count} tool${count === 1 ? "" : "s"} found. You can call ${count === 1 ? "it" : "them"} from your next turn on.`;
}

/** The tools with the most of the words; a word of a name counts more than one of a description. */
function ranked(tools: readonly Tool[], query: string): Tool[] {
  const words = wordsOf(query);
  return tools
    .map((tool, place) => ({ tool, place, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || one.place - other.place)
    .slice(0, MOST_FOUND)
    .map(({ tool }) => tool);
}

function scoreOf({ name, definition }: Tool, words: readonly string[]): number {
  const [inName, inDescription] = [name.toLowerCase(), definition.description.toLowerCase()];
  return words.reduce(
    (score, word) => score + (inName.includes(word) ? 3 : 0) + (inDescription.includes(word) ? 1 : 0),
    0,
  );
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
