import type { Chat, ChatEvent } from "@agent-workspace/client";
import type { Context } from "../context.ts";
import { bold, dim, red } from "../output/styles.ts";
import type { Service } from "../service.ts";
import { Approvals, type Suspended } from "../tasks/approvals.ts";
import type { Outcome } from "../tasks/follow-task.ts";
import { LiveView } from "../tasks/live-view.ts";
import type { Mode } from "../tasks/start.ts";
import { attach, type LocalFile } from "./attachments.ts";
import { taskEventOf } from "./task-event.ts";

interface SessionOptions {
  /** Id of the project. */
  readonly project: string;
  /** A chat to go on in; the first message begins a new one when absent. */
  readonly chatId: string | undefined;
  readonly agentId: string | undefined;
  readonly mode: Mode | undefined;
  readonly model: string | undefined;
  /** Ctrl-C at a question. */
  interrupt(): void;
  readonly suspended?: Suspended;
}

/** A conversation in one project: the chat in which it goes on, how its messages are worked on, and what is shown of it. */
export class ChatSession {
  readonly project: string;
  readonly service: Service;
  readonly view: LiveView;
  mode: Mode | undefined;
  model: string | undefined;
  readonly #agentId: string | undefined;
  readonly #approvals: Approvals;
  readonly #chat: Chat;
  #chatId: string | undefined;
  /** Tasks of the chat that have not ended. */
  readonly #running = new Set<string>();
  readonly #ended = new Set<string>();
  /** Messages that the service has not accepted yet. */
  readonly #sending = new Set<Promise<unknown>>();
  /** Messages that were sent here: they are on the screen already. */
  readonly #sent = new Set<string>();

  constructor(context: Context, service: Service, options: SessionOptions) {
    this.project = options.project;
    this.service = service;
    this.mode = options.mode;
    this.model = options.model;
    this.#agentId = options.agentId;
    this.#chatId = options.chatId;
    this.view = new LiveView(context.output);
    this.#approvals = new Approvals(context, service, this.view, {
      interrupt: () => options.interrupt(),
      suspended: options.suspended,
    });
    this.#chat = service.workspace.chat(options.project);
  }

  get chatId(): string | undefined {
    return this.#chatId;
  }

  get isRunning(): boolean {
    return this.#running.size + this.#sending.size > 0;
  }

  /** The events of the chat, for `show`. Throws when the service has ended the connection. */
  async *events(): AsyncGenerator<ChatEvent, void, void> {
    for await (const each of this.#chat.events()) {
      if (each.chatId !== this.#chatId) continue;
      if (each.event.type === "done") this.#end(each.taskId);
      else if (!this.#ended.has(each.taskId)) this.#running.add(each.taskId);
      yield each;
    }
  }

  /** Shows an event, and asks for the approval that it may need. The outcome is returned with the task's last event. */
  show(each: ChatEvent): Outcome | undefined {
    if (each.event.type === "user_message") {
      const content = String(each.event["content"]);
      if (!this.#sent.delete(content)) this.view.note(bold(`> ${content}`));
      return undefined;
    }
    const event = taskEventOf(each);
    this.view.take(event);
    this.#approvals.take(event);
    if (event.type !== "done") return undefined;
    this.view.endLine();
    return event;
  }

  /** How a task ended, where it is not by its answer. */
  showOutcome({ status, error }: Outcome): void {
    if (status === "cancelled") this.view.note(dim("Stopped."));
    else if (status === "failed") this.view.note(red("Failed: "), error ?? "the task failed");
  }

  /** Sends a message with the files that it names, and resolves to its task. */
  async send(message: string, files: readonly LocalFile[] = []): Promise<string> {
    const sending = this.#send(message, files);
    this.#sending.add(sending);
    this.#sent.add(message);
    try {
      const task = await sending;
      if (!this.#ended.has(task)) this.#running.add(task);
      return task;
    } catch (error) {
      this.#sent.delete(message);
      throw error;
    } finally {
      this.#sending.delete(sending);
    }
  }

  /** Stops the tasks of the chat, also those of messages that are still on their way; false when there are none. */
  async stop(): Promise<boolean> {
    await Promise.allSettled(this.#sending);
    const tasks = [...this.#running];
    for (const task of tasks) await this.#chat.cancel(task);
    return tasks.length > 0;
  }

  /** Has the next message begin a new chat. Returns the tasks that go on in the one before. */
  leaveChat(): readonly string[] {
    const tasks = [...this.#running];
    this.#running.clear();
    this.#chatId = undefined;
    return tasks;
  }

  close(): void {
    this.#approvals.close();
    this.view.endLine();
    this.#chat.close();
  }

  async #send(message: string, files: readonly LocalFile[]): Promise<string> {
    const chat = await this.#openChat();
    const attachments: object[] = [];
    for (const file of files) attachments.push(await attach(this.service, chat, file));
    const { task_id: task } = await this.#chat.send({
      message,
      chat_id: chat,
      ...(attachments.length > 0 && { attachments }),
      ...(this.#agentId !== undefined && { agent_id: this.#agentId }),
      ...(this.mode !== undefined && { edit_mode: this.mode }),
      ...(this.model !== undefined && { model: this.model }),
    });
    return task;
  }

  #end(task: string): void {
    this.#running.delete(task);
    this.#ended.add(task);
  }

  async #openChat(): Promise<string> {
    this.#chatId ??= (await this.service.workspace.chats.create({ project_id: this.project })).id;
    return this.#chatId;
  }
}
