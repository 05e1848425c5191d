import type { ChatSession } from "#durable-objects/chat-session/index.ts";
import type { Trips } from "#src/platform/trips.ts";

/** How the rest of the code reaches a chat's turn queue. */
export interface ChatSessions {
  /** Ask for the turn. Safe to repeat. */
  enqueue(chatId: string, taskId: string): Promise<"running" | "queued">;
  /** Give the turn back; answers the task that has it now. Safe to repeat. */
  finish(chatId: string, taskId: string): Promise<string | undefined>;
}

export function chatSessions(namespace: DurableObjectNamespace<ChatSession>, trips: Trips): ChatSessions {
  const session = (chatId: string) => {
    trips.objects += 1;
    return namespace.getByName(chatId);
  };
  return {
    enqueue: (chatId, taskId) => session(chatId).enqueue(taskId),
    finish: (chatId, taskId) => session(chatId).finish(taskId),
  };
}
