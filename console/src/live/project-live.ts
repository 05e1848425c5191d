import {
  emptyConversation,
  fold,
  type Chat,
  type Conversation,
  type ConversationTask,
  type Workspace,
} from "@agent-workspace/client";
import { signal, type ReadonlySignal } from "@preact/signals";

/** Called with the paths that have changed; with none if any file may have, as after a time without a connection. */
export type FilesListener = (paths: readonly string[] | undefined) => void;

/** What a project shows live, over one socket: the tasks of the person in it, and those in chats that others share. */
export interface ProjectLive {
  readonly conversation: ReadonlySignal<Conversation>;
  /** Why the service ended the connection for good; undefined while it lasts, or comes back by itself. */
  readonly ended: ReadonlySignal<unknown>;
  /** False while the connection is lost; it comes back by itself. */
  readonly isConnected: ReadonlySignal<boolean>;
  /** When the connection was made last; 0 before the first time. What was read earlier may lack what no event tells. */
  readonly connectedAt: ReadonlySignal<number>;
  readonly chat: Pick<Chat, "send" | "approve" | "cancel">;
  /** Leaves the tasks of a chat that are over to its history, which was changed. */
  forgetEnded(chatId: string): void;
  /** Listens for changes of the project's files until the returned function is called; those before this moment may be unknown. */
  onFiles(listener: FilesListener): () => void;
  /** Resolves once no call is on its way: an end of the connection would leave open what became of it. */
  answered(): Promise<void>;
  close(): void;
}

/** Events after which lists elsewhere on the screen are no longer true. */
const TURNING = new Set(["approval_required", "approval_answered", "done"]);

interface Listeners {
  /** Called when a task asks, is answered, or ends. */
  turned: (chatId: string, isEnd: boolean) => void;
  /** Called with each event of a task, and the task after it. */
  heard: (type: string, task: ConversationTask) => void;
  /** Called when the project is on its way to another state, at each step. */
  moved: () => void;
  /** Called when the connection is there again: what happened meanwhile was not told. */
  missed: () => void;
}

/** Opens the live connection of a project. */
export function openProjectLive(
  workspace: Workspace,
  project: string,
  { turned, heard, moved, missed }: Listeners,
): ProjectLive {
  const isConnected = signal(true);
  const connectedAt = signal(0);
  const listeners = new Set<FilesListener>();
  const tell: FilesListener = (paths) => listeners.forEach((listener) => listener(paths));
  const chat = workspace.chat(project, {
    shared: true,
    onNotice: (notice) => {
      if (notice.type === "files_changed") tell(pathsOf(notice["paths"]));
      else moved();
    },
    onConnection: (now) => {
      isConnected.value = now;
      if (!now) return;
      const isFirst = connectedAt.value === 0;
      connectedAt.value = Date.now();
      // Notices are not repeated: any may have been missed, also while the first connection was made.
      tell(undefined);
      if (!isFirst) missed();
    },
  });
  const conversation = signal(emptyConversation());
  const ended = signal<unknown>();
  // Events that come faster than the screen changes are shown together.
  let next = conversation.value;
  let frame = 0;
  const show = () => {
    frame = 0;
    conversation.value = next;
  };
  void follow();
  const underWay = new Set<Promise<unknown>>();
  const noted = <T>(call: Promise<T>): Promise<T> => {
    const end = () => underWay.delete(call);
    underWay.add(call);
    call.then(end, end);
    return call;
  };

  async function follow(): Promise<void> {
    try {
      for await (const event of chat.events()) {
        next = fold(next, event);
        if (frame === 0) frame = requestAnimationFrame(show);
        const {
          chatId,
          event: { type },
        } = event;
        const task = next.tasks.find(({ taskId }) => taskId === event.taskId);
        if (task) heard(type, task);
        if (TURNING.has(type)) turned(chatId, type === "done");
      }
    } catch (error) {
      ended.value = error;
    }
  }

  return {
    conversation,
    ended,
    isConnected,
    connectedAt,
    chat: {
      send: (...message) => noted(chat.send(...message)),
      approve: (...answer) => noted(chat.approve(...answer)),
      cancel: (taskId) => noted(chat.cancel(taskId)),
    },
    forgetEnded(chatId) {
      const tasks = next.tasks.filter((task) => task.chatId !== chatId || isOpen(task));
      next = { tasks };
      show();
    },
    onFiles(listener) {
      listeners.add(listener);
      if (connectedAt.value > 0 && isConnected.value) listener(undefined);
      return () => listeners.delete(listener);
    },
    async answered() {
      // oxlint-disable-next-line no-await-in-loop -- there may be more calls by then
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close: () => chat.close(),
  };
}

function isOpen({ status }: ConversationTask): boolean {
  return status === "running" || status === "queued";
}

function pathsOf(paths: unknown): string[] | undefined {
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : undefined;
}

/**
 * The tasks of one chat: those of its history, with what came live in place of the same task, then those that are only known
 * live.
 */
export function tasksOfChat(
  history: Conversation,
  live: Conversation,
  chatId: string,
): readonly ConversationTask[] {
  const own = new Map(live.tasks.filter((task) => task.chatId === chatId).map((task) => [task.taskId, task]));
  const before = history.tasks.map((task) => {
    const newer = own.get(task.taskId);
    own.delete(task.taskId);
    // A task that ended before the connection has its message and its end in the history alone.
    return newer && newer.lastEventId > 0
      ? { ...newer, message: newer.message ?? task.message, author: task.author ?? newer.author }
      : task;
  });
  return [...before, ...own.values()];
}
