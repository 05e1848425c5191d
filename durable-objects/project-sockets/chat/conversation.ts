import { sendWithAttachments } from "#src/domain/agent-work/attachments/index.ts";
import {
  isOwn,
  isRefusal,
  LastingAccess,
  renewCaller,
  type Caller,
} from "#src/domain/access/permissions/index.ts";
import { answerApproval, PEOPLE_ANSWER } from "#src/domain/agent-work/approvals/index.ts";
import {
  isShownTo,
  liveTasks,
  requireTask,
  SHARED_CHECK_MS,
  tasksBegunAfter,
  type LiveTask,
} from "#src/domain/agent-work/chats/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";

import { aheadOfLog, cancelTask, type TaskStatus } from "#src/domain/agent-work/tasks/index.ts";
import { wishOf } from "#src/http/chat-message.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Connection } from "../connection.ts";
import type { Followed, Resume } from "../protocol.ts";
import type { Services } from "#src/services.ts";
import type { TaskFeeds } from "./task-feeds.ts";
import { Follower, type Access } from "./follower.ts";
import { messageAccepted, messageWaits, userMessage, type ChatFrame, type Message } from "./frames.ts";

/** Most tasks that one socket shows at once: a socket's attachment has little room. */
const MAX_FOLLOWED = 50;
/** Most tasks shown that were started, and may have ended, while a client was away: the newest ones. */
const MAX_MISSED = 30;
/** Most messages of one socket that are not stored yet. */
const MAX_SENDING = 20;
/** A message's own socket shows its task bare, from the first event. */
const FROM_THE_START = { after: 0, direct: true } as const;

/** A user's chats in a project on one socket: messages to the agent, and events of the agents' tasks. */
export class Conversation {
  readonly #connection: Connection;
  readonly #projectId: string;
  readonly #services: Services;
  readonly #feeds: TaskFeeds;
  readonly #followers = new Map<string, Follower>();
  /** Messages are sent in the order of their arrival; following a task waits for messages under way. */
  #sending: Promise<void> = Promise.resolve();
  #unsent = 0;

  constructor(connection: Connection, projectId: string, services: Services, feeds: TaskFeeds) {
    this.#connection = connection;
    this.#projectId = projectId;
    this.#services = services;
    this.#feeds = feeds;
  }

  /**
   * Shows the tasks that the client has partly, then other running tasks, without repeating events. If the client says
   * which tasks it has `shown` to the end, tasks started after those are shown too.
   */
  async begin(resume: readonly Resume[], shown?: readonly string[]): Promise<void> {
    this.#sending = this.#sending.then(() => this.#resumeAll(resume));
    await this.#sending;
    const { db } = this.#services;
    const known = shown && [...resume.map(({ taskId }) => taskId), ...shown];
    const { userId, shared: withShared = false } = this.#connection.state;
    const ofReader = { projectId: this.#projectId, userId, withShared };
    const missed = known ? await tasksBegunAfter(db, ofReader, known, MAX_MISSED) : [];
    for (const task of [...missed, ...(await this.#live([]))]) await this.follow(task);
  }

  /** Resumes the socket's tasks after an eviction. Idempotent. */
  goOn(): void {
    if (!this.#connection.state.following) this.#connection.keep({ following: [] });
    for (const followed of this.#following) if (!this.#followers.has(followed.taskId)) this.#join(followed);
  }

  /** Handles a frame. Throws if the frame is invalid or cannot be handled; it does not hold up other frames. */
  async take(frame: ChatFrame): Promise<void> {
    switch (frame.type) {
      case "ping":
        return this.#connection.send({ type: "pong" });
      case "message": {
        if (this.#unsent >= MAX_SENDING) throw new AppError("conflict", "Too many messages are on their way");
        this.#unsent += 1;
        const sent = this.#sending.then(() => this.#send(frame)).finally(() => (this.#unsent -= 1));
        this.#sending = sent.catch(() => undefined);
        return sent;
      }
      case "approval_response":
        await this.#answer(frame);
        return this.#done(frame.request_id);
      case "cancel":
        await this.#cancel(frame.task_id);
        return this.#done(frame.request_id);
      case "resume":
        await requireTask(this.#services, await this.#caller(), frame.task_id, "chat.view");
        return this.resume({ taskId: frame.task_id, after: frame.last_event_id });
    }
  }

  /**
   * Shows a task after this event; a task that is over by then shows its end. Events that were sent to this socket are
   * not sent again. Throws `not_found` if the user has no such task in the project, and `invalid_input` if a running
   * task's log has not reached the event.
   */
  async resume({ taskId, after: wished }: Resume): Promise<void> {
    const wasShown = this.#wasShown(taskId);
    const task = (await this.#live([taskId])).find(({ id }) => id === taskId);
    if (!task || !isShownTo(this.#connection.state, task)) throw new AppError("not_found", "Task not found");
    const last = wished > 0 ? await this.#services.taskLogs.lastEvent(taskId) : undefined;
    const isAhead = last !== undefined && last.id < wished;
    if (isAhead && !last.isEnd) throw aheadOfLog(wished);
    // Its end was sent while this waited.
    if (!wasShown && this.#wasShown(taskId)) return;
    const after = isAhead ? last.id - 1 : wished;
    const follower = this.#followers.get(taskId);
    const direct = this.#connection.state.kind === "conversation";
    if (!follower || follower.isGone) return this.#begin(task, { after, direct });
    follower.skipTo(after);
    this.#keep(taskId, { direct });
  }

  /**
   * Shows a running task from its beginning, unless it is not the reader's to see, or is or was shown already. That of another
   * person is checked before anything of it is sent; throws where the check fails.
   */
  async follow(task: LiveTask): Promise<void> {
    if (!isShownTo(this.#connection.state, task)) return;
    // A socket that has not begun looks for running tasks itself.
    if (!this.#connection.state.following) return;
    // The task may belong to a message of this socket whose task id is not known yet.
    await this.#sending;
    if (!this.#hasRoomFor(task.id)) return;
    const access = this.#isForeign(task) ? this.#accessTo(task.id) : undefined;
    if (access && (!(await isHeld(access)) || !this.#hasRoomFor(task.id))) return;
    this.#connection.send(userMessage(task));
    this.#begin(task, { after: 0, direct: false }, access);
  }

  /** Reports that a task's log cannot be read: temporarily, or, with `isFinal`, for good. */
  failed(taskId: string, error: unknown, isFinal: boolean): void {
    if (!this.#isFollowing(taskId)) return;
    if (isFinal) {
      this.#followers.get(taskId)?.leave();
      this.#followers.delete(taskId);
      this.#connection.keep({ following: this.#following.filter((each) => each.taskId !== taskId) });
    }
    this.#connection.tell(error, { task_id: taskId });
  }

  leave(): void {
    for (const follower of this.#followers.values()) follower.leave();
    this.#followers.clear();
  }

  get #following(): Followed[] {
    return this.#connection.state.following ?? [];
  }

  /** Returns the running tasks in the project that the user is shown, and those that are named. */
  #live(named: readonly string[]): Promise<LiveTask[]> {
    const { userId, shared: withShared = false } = this.#connection.state;
    return liveTasks(this.#services.db, this.#projectId, { userIds: [userId], named, withShared });
  }

  async #resumeAll(resume: readonly Resume[]): Promise<void> {
    for (const each of resume) {
      await this.resume(each).catch((error: unknown) =>
        this.#connection.tell(error, { task_id: each.taskId }),
      );
    }
    this.#connection.keep({ following: this.#following });
  }

  /** Whether the task is to be shown. On a full socket it is not: the next check may find room. */
  #hasRoomFor(id: string): boolean {
    if (!this.#connection.isOpen || this.#wasShown(id) || this.#isFollowing(id)) return false;
    return this.#following.length < MAX_FOLLOWED;
  }

  #isForeign({ userId }: { userId: string }): boolean {
    return !isOwn(this.#connection.state, { userId });
  }

  #isFollowing(id: string): boolean {
    return this.#following.some(({ taskId }) => taskId === id);
  }

  /** Whether the socket was shown this task to its end, lately. */
  #wasShown(id: string): boolean {
    return this.#connection.state.shown?.includes(id) ?? false;
  }

  #begin(
    { id: taskId, chatId, status, userId }: Pick<LiveTask, "id" | "chatId" | "status"> & { userId?: string },
    from: Pick<Followed, "after" | "direct">,
    access?: Access,
  ): void {
    const isForeign = userId !== undefined && this.#isForeign({ userId });
    const followed = { taskId, chatId, ...from, asking: false, ...(isForeign && { foreign: true as const }) };
    if (!this.#connection.isOpen) return;
    const others = this.#following.filter((each) => each.taskId !== taskId);
    if (others.length >= MAX_FOLLOWED) {
      throw new AppError("conflict", "More tasks are under way than one socket shows: resume this one later");
    }
    this.#connection.keep({ following: [...others, followed] });
    this.#join(followed, status, access);
  }

  /** `access` is passed on where it was checked before. */
  #join(followed: Followed, status?: TaskStatus, access?: Access): void {
    const checked = access ?? (followed.foreign && this.#accessTo(followed.taskId));
    const follower = new Follower(this.#connection, followed, checked);
    this.#followers.set(followed.taskId, follower);
    this.#feeds.join(followed, follower, status);
  }

  /** What another person shares may be taken back at any time, and so may the reader's role. */
  #accessTo(taskId: string): Access {
    const { standing } = this.#connection.state;
    const access = new LastingAccess(this.#services, standing, {
      forMs: SHARED_CHECK_MS,
      check: (caller) => requireTask(this.#services, caller, taskId, "chat.view"),
      isUnchecked: true,
    });
    return {
      hold: () => access.hold(),
      lost: (error: unknown) => {
        // What could not be checked goes on where it was, with the next check of the sockets.
        if (!isRefusal(error)) this.#followers.delete(taskId);
        this.failed(taskId, error, isRefusal(error));
      },
    };
  }

  #keep(taskId: string, change: Partial<Followed>): void {
    const following = this.#following.map((each) => (each.taskId === taskId ? { ...each, ...change } : each));
    this.#connection.keep({ following });
  }

  async #send(frame: Omit<Message, "type"> & { isPlain: boolean }): Promise<void> {
    const caller = await this.#caller();
    await this.#requireProject(caller, frame.project_id ?? undefined);
    const decision = await this.#services.rateLimits.take("chat", caller.userId);
    if (decision?.allowed === false) {
      const { retryAfterSeconds } = decision;
      throw new AppError("rate_limited", "Rate limit exceeded", { retryAfterSeconds });
    }
    const started = await sendWithAttachments(this.#services, caller, {
      ...wishOf(frame),
      project: this.#projectId,
      editModeOtherwise: frame.isPlain ? "allow" : undefined,
      idempotencyKey: frame.idempotency_key ?? undefined,
    });
    this.#connection.send(messageAccepted(started, frame.idempotency_key));
    const waits = messageWaits(started);
    if (waits !== undefined) this.#connection.sendText(waits);
    if (!frame.idempotency_key) {
      return this.#begin({ id: started.taskId, chatId: started.chatId, status: "queued" }, FROM_THE_START);
    }
    // The message may be a repetition, of a task that this socket shows or has shown already.
    if (!this.#wasShown(started.taskId)) await this.resume({ taskId: started.taskId, after: 0 });
  }

  async #answer({
    approval_id: approvalId,
    response,
    reason,
    content,
  }: Extract<ChatFrame, { type: "approval_response" }>): Promise<void> {
    const caller = await this.#caller();
    if (caller.kind === "key") throw new AppError("forbidden", PEOPLE_ANSWER);
    const answer = { approvalId, response, reason: reason ?? undefined, content: content ?? undefined };
    await answerApproval(this.#services, caller, answer);
  }

  async #cancel(taskId: string): Promise<void> {
    const task = await requireTask(this.#services, await this.#caller(), taskId, "chat.send");
    const outcome = await cancelTask(this.#services, task);
    this.#feeds.wake(taskId);
    if (!outcome.cancelRequested) {
      throw new AppError("conflict", `The task is ${outcome.status} already`);
    }
  }

  #done(requestId: string | null | undefined): void {
    if (requestId) this.#connection.send({ type: "request_done", request_id: requestId });
  }

  /** Returns the caller with current rights. */
  #caller(): Promise<Caller> {
    return renewCaller(this.#services, this.#connection.state.standing);
  }

  /** Throws if the caller may no longer write to the project, and for another project than the socket's. */
  async #requireProject(caller: Caller, named: string | undefined): Promise<void> {
    const { id } = await requireProject(this.#services, caller, named ?? this.#projectId, "chat.send");
    if (id !== this.#projectId) {
      throw new AppError(
        "invalid_input",
        "This socket belongs to another project: open one for this project",
      );
    }
  }
}

async function isHeld(access: Access): Promise<boolean> {
  try {
    await access.hold();
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}
