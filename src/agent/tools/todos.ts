import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { counted } from "#src/lib/counted.ts";
import { defineTool, failure } from "./tool.ts";

const MAX_TODOS = 100;

const status = z.enum(["pending", "in_progress", "completed"]);
const priority = z.enum(["high", "medium", "low"]);

/** A task as the runtime stores it, one list per chat. */
const Todo = z.object({
  id: z.string(),
  content: z.string(),
  status,
  priority,
  created_at: z.string(),
});
type Todo = z.infer<typeof Todo>;

const NewTodo = z.strictObject({
  id: z.string().min(1).max(64).optional().describe("Id of a task that is on the list already"),
  content: z.string().trim().min(1).max(1_000).describe("What is to be done"),
  status: status.describe("State of the task; at most one should be in_progress"),
  priority: priority.default("medium").describe("How much it matters"),
  created_at: z.string().optional().describe("Ignored; kept by the list"),
});

export const todos = defineTool({
  name: "todos",
  aliases: ["todo_read", "todo_write"],
  description:
    "Your list of tasks in this chat. Without `todos` it is read; with `todos` it is replaced whole, so send the tasks " +
    "that stay as well. Use it for work of three steps or more, and keep it up to date.",
  parameters: z.object({
    todos: z
      .array(NewTodo)
      .min(1)
      .max(MAX_TODOS)
      .optional()
      .describe("The complete new list; leave it out to read the present one"),
  }),
  effect: "idempotent",
  scope: null,
  // The list belongs to the chat and is not a file of the project.
  runsInPlan: true,
  async run(args, { runtime, chatId }) {
    const present = parseTodos(await runtime.readTodos(chatId));
    if (!args.todos)
      return listed(
        `There ${present.length === 1 ? "is" : "are"} ${counted(present.length, "task")} on the list.`,
        present,
      );
    const ids = args.todos.flatMap(({ id }) => id ?? []);
    if (new Set(ids).size < ids.length)
      return failure("Two tasks carry the same id.", "Leave out the ids of new tasks.");
    const next = replaceTodos(present, args.todos, new Date());
    await runtime.writeTodos(chatId, JSON.stringify(next));
    return listed(`The list now has ${counted(next.length, "task")}.`, next);
  },
});

/** An unreadable list counts as empty: it is the agent's own note, and the next write repairs it. */
function parseTodos(json: string | undefined): Todo[] {
  return json === undefined ? [] : (safeParseJson(json, z.array(Todo))?.value ?? []);
}

/**
 * Returns the new list. A task that existed, matched by id or else by content, keeps its id and its creation time, so
 * that writing the same list twice changes nothing.
 */
function replaceTodos(
  present: readonly Todo[],
  wanted: readonly z.output<typeof NewTodo>[],
  now: Date,
): Todo[] {
  const named = new Set(wanted.flatMap(({ id }) => id ?? []));
  const free = present.filter(({ id }) => !named.has(id));
  const taken = new Set([...named, ...present.map(({ id }) => id)]);
  return wanted.map((todo) => {
    const old =
      todo.id === undefined ? takeByContent(free, todo.content) : present.find(({ id }) => id === todo.id);
    return {
      id: todo.id ?? old?.id ?? nextId(taken),
      content: todo.content,
      status: todo.status,
      priority: todo.priority,
      created_at: old?.created_at ?? now.toISOString(),
    };
  });
}

function takeByContent(free: Todo[], content: string): Todo | undefined {
  const at = free.findIndex((todo) => todo.content === content);
  return at === -1 ? undefined : free.splice(at, 1)[0];
}

/** Returns the next unused number: short, because the model writes it back. */
function nextId(taken: Set<string>): string {
  let number = 1;
  while (taken.has(String(number))) number += 1;
  taken.add(String(number));
  return String(number);
}

function listed(message: string, list: readonly Todo[]) {
  const count = (wanted: Todo["status"]) => list.filter((todo) => todo.status === wanted).length;
  const details = {
    total: list.length,
    pending: count("pending"),
    in_progress: count("in_progress"),
    completed: count("completed"),
  };
  return { success: true as const, message, todos: list, details };
}
