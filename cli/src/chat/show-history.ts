import { visibleLine } from "@agent-workspace/client";
import { bold, dim } from "../output/styles.ts";
import type { Output } from "../output/output.ts";
import type { Service } from "../service.ts";

/** Most messages that are shown; the console has all. */
const MAX_SHOWN = 20;

/** The chat of the project that was used last; undefined when there is none. */
export async function lastChat({ workspace }: Service, project: string): Promise<string | undefined> {
  const chats = await workspace.chats.ofProject(project);
  const used = (chat: (typeof chats)[number]) => Date.parse(chat.updated_at ?? chat.created_at);
  return chats.toSorted((one, other) => used(other) - used(one))[0]?.id;
}

/** Shows the messages of a chat. A task that goes on is left to its events, which come from the first one on. */
export async function showHistory({ workspace }: Service, chat: string, output: Output): Promise<void> {
  const messages = await workspace.chats.messages(chat);
  const isFinished = (each: (typeof messages)[number] | undefined) =>
    each?.role === "assistant" && each.message_metadata?.["completion_reason"] !== "in_progress";
  const finished = messages.filter((each, at) => isFinished(each) || isFinished(messages[at + 1]));
  if (output.json) {
    for (const message of finished) output.record({ type: "message", ...message });
    return;
  }
  const shown = finished.slice(-MAX_SHOWN);
  if (shown.length < finished.length)
    output.note(dim(`… ${finished.length - shown.length} earlier messages`));
  const isOfMany = new Set(shown.map(({ author }) => author?.id).filter(Boolean)).size > 1;
  for (const { role, content, author } of shown) {
    if (role === "user")
      output.note(bold(`${isOfMany && author ? `${visibleLine(author.name)} ` : ""}> ${content}`));
    else output.print(content);
  }
}
