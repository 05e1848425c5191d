import { createInterface } from "node:readline";
import { stopped } from "../errors.ts";
import { onInterrupt } from "../input/interrupts.ts";
import { requireCompleted } from "../tasks/follow-task.ts";
import type { ChatSession } from "./chat-session.ts";
import { entries, textOfEntry } from "./entry.ts";
import { runSlashCommand } from "./slash-commands.ts";

/**
 * Without a terminal: each line is a message, and its answer is printed before the next one is sent. `@path` names no files
 * here: nothing says that a person has typed it. Throws for the first task that does not complete.
 */
export async function answerLines(input: NodeJS.ReadableStream, session: ChatSession): Promise<void> {
  const events = session.events();
  const control = new AbortController();
  const release = onInterrupt(() => {
    control.abort(stopped());
    void session
      .stop()
      .catch(() => {})
      .finally(() => session.close());
  });
  const lines = createInterface({ input, crlfDelay: Infinity });
  control.signal.addEventListener("abort", () => lines.close());
  const take = entries();
  try {
    for await (const text of lines) {
      const entry = take({ text, isPasted: false });
      const message = entry && textOfEntry(entry);
      if (message === undefined || message.trim() === "") continue;
      const kind = await runSlashCommand(message, session);
      if (kind === "quit") return;
      if (kind === "message") await answered(message);
    }
    control.signal.throwIfAborted();
  } catch (error) {
    control.signal.throwIfAborted();
    throw error;
  } finally {
    release();
    lines.close();
    session.close();
  }

  async function answered(message: string): Promise<void> {
    const task = await session.send(message);
    for (;;) {
      const { value: each } = await events.next();
      if (!each) return;
      const outcome = session.show(each);
      if (outcome && each.taskId === task) return requireCompleted(outcome);
    }
  }
}
