import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson, safeParseJson } from "#src/lib/parse-json.ts";
import type { HeldOutside, Send } from "./index.ts";
import { Failure } from "./protocol.ts";

const State = z.object({
  state: z.enum(["present", "frozen", "absent"]),
  generation: z.number(),
  lost: z.literal(true).optional(),
});
const Todos = z.object({ todos: z.string().optional() });

/**
 * Data that the holder of a sandbox stores outside of it, accessed over the control routes that the holder serves
 * itself.
 */
export function heldBy(send: Send): HeldOutside {
  const ask = async (path: string, method: string, body?: string): Promise<string> => {
    const response = await reach(send(path, { method, ...(body !== undefined && { body }) }));
    const answer = await reach(response.text());
    if (response.ok) return answer;
    const failure = safeParseJson(answer, Failure)?.value;
    throw new AppError(failure?.code ?? "unavailable", failure?.message ?? SILENT);
  };
  const move = async (name: string, generation: number): Promise<void> => {
    await ask(`/storage/${name}`, "POST", JSON.stringify({ generation }));
  };
  return {
    storageState: async () => parseJson(await ask("/storage", "GET"), State),
    freeze: (generation) => move("freeze", generation),
    thaw: (generation) => move("thaw", generation),
    discard: (generation) => move("discard", generation),
    destroy: async () => void (await ask("/", "DELETE")),
    readTodos: async (chatId) => parseJson(await ask(todosOf(chatId), "GET"), Todos).todos,
    writeTodos: async (chatId, todos) => void (await ask(todosOf(chatId), "PUT", todos)),
  };
}

const todosOf = (chatId: string) => `/todos/${encodeURIComponent(chatId)}`;

const SILENT = "The project's environment did not answer; try again";

async function reach<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (cause) {
    throw new AppError("unavailable", SILENT, { cause });
  }
}
