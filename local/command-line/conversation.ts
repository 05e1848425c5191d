import { randomUUID } from "node:crypto";
import { commandOf, type CommandName } from "#src/domain/messaging/conversations/commands.ts";
import type { Choice, ServiceFrame } from "./frames.ts";

interface Output {
  /** What the agent says. */
  say(text: string): void;
  /** What happens meanwhile. */
  note(text: string): void;
  fail(text: string): void;
  send(frame: object): void;
  /** All that was sent was answered, and no more will be. */
  finished(): void;
}

interface Sent {
  frame: { type: string; client_id: string; [field: string]: unknown };
  /** The service has stored it. */
  isAccepted: boolean;
  /** A click has no answer of its own. */
  isAnswered: boolean;
  command: CommandName | undefined;
}

const SECOND_MS = 1_000;

/** What a person and the agent say to each other, over any number of connections. */
export class Conversation {
  readonly #output: Output;
  /** What was sent and neither accepted nor answered yet, oldest first. */
  #sent: Sent[] = [];
  #choices: { list: readonly Choice[]; messageId: number | undefined } | undefined;
  /** Lines of a message that is not complete. */
  #begun = "";
  #isOver = false;
  #isTyping = false;
  hasFailed = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * Sends a line, or the choice that it numbers while an approval waits. A line that ends in a backslash goes on in the next
   * one.
   */
  write(line: string): void {
    if (line.endsWith("\\")) {
      this.#begun += `${line.slice(0, -1)}\n`;
      return;
    }
    const text = (this.#begun + line).trim();
    this.#begun = "";
    if (text === "") return;
    const choice = /^\d{1,2}$/u.test(text) ? this.#choices?.list[Number(text) - 1] : undefined;
    const client_id = randomUUID();
    const click = { type: "approval", data: choice?.data, message_id: this.#choices?.messageId?.toString() };
    const frame = choice ? { ...click, client_id } : { type: "message", text, client_id };
    if (choice) this.#choices = undefined;
    this.#sent.push({ frame, isAccepted: false, isAnswered: choice !== undefined, command: commandOf(text) });
    this.#output.send(frame);
  }

  /** There will be no more lines. */
  end(): void {
    this.write("");
    this.#isOver = true;
    this.#settle();
  }

  /** Sends again what the service may not have, by the same ids. */
  resend(): void {
    for (const { frame, isAccepted } of this.#sent) if (!isAccepted) this.#output.send(frame);
  }

  take(frame: ServiceFrame): void {
    switch (frame.type) {
      case "accepted":
        return this.#accept(frame.client_id);
      case "message":
        this.#isTyping = false;
        this.#output.say(frame.text);
        return this.#answer(frame.reply_to);
      case "approval":
        this.#isTyping = false;
        this.#choices = { list: frame.choices, messageId: frame.id };
        return this.#output.say(
          [frame.text, ...frame.choices.map(({ label }, index) => `  ${index + 1}) ${label}`)].join("\n"),
        );
      case "tool":
        return this.#output.note(frame.text);
      case "typing":
        // It is repeated for as long as the agent works.
        if (!this.#isTyping) this.#output.note("…");
        this.#isTyping = true;
        return undefined;
      case "error":
        return this.#fail(frame);
      case "status":
      case "pong":
        return undefined;
    }
  }

  #accept(clientId: string | undefined): void {
    for (const each of this.#sent) if (each.frame.client_id === clientId) each.isAccepted = true;
    this.#settle();
  }

  /**
   * Messages that came together are answered together: an answer to one is an answer to those before it. A command is answered
   * at once, before them; but `/stop` forgets them.
   */
  #answer(replyTo: string | undefined): void {
    const last = this.#sent.findLastIndex(
      ({ frame }) => replyTo === undefined || frame.client_id === replyTo,
    );
    const command = this.#sent[last]?.command;
    const isAlone = command !== undefined && command !== "stop";
    for (const each of this.#sent.slice(isAlone ? last : 0, last + 1)) each.isAnswered = true;
    this.#settle();
  }

  #fail({
    message,
    code,
    client_id,
    retry_after_seconds: seconds = 1,
  }: ServiceFrame & { type: "error" }): void {
    const about = this.#sent.find(({ frame }) => frame.client_id === client_id);
    if (about && code === "rate_limited") {
      setTimeout(() => this.#output.send(about.frame), seconds * SECOND_MS);
      return;
    }
    this.#output.fail(message);
    if (!about) return;
    this.hasFailed = true;
    about.isAccepted = true;
    about.isAnswered = true;
    this.#settle();
  }

  #settle(): void {
    this.#sent = this.#sent.filter(({ isAccepted, isAnswered }) => !isAccepted || !isAnswered);
    if (this.#isOver && this.#sent.length === 0) this.#output.finished();
  }
}
