import { onTestFinished } from "vitest";
import { openChat, type ChatOptions } from "#sdk/live/chat.ts";
import { ManualClock, ScriptedSource } from "./scripted-sockets.ts";

/** A chat over sockets and a clock of the test, which ends with the test. */
export function start(options: ChatOptions = {}) {
  const [source, clock] = [new ScriptedSource(), new ManualClock()];
  const chat = openChat(source, "project", { ...options, clock });
  onTestFinished(() => chat.close());
  return { source, clock, chat };
}

/** An event of a task, as its sender is sent it. */
export const event = (task: string, id: number, type = "text_delta", fields = {}) => ({
  type,
  task_id: task,
  chat_id: "chat",
  event_id: id,
  ...fields,
});
