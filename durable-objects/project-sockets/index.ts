import { DurableObject } from "cloudflare:workers";
import {
  isAuthorized,
  isRefusal,
  renewCaller,
  TRUST_MS,
  type Caller,
  type Role,
  type Scope,
} from "#src/domain/access/permissions/index.ts";
import { liveTasks } from "#src/domain/agent-work/chats/index.ts";
import { isFull } from "#src/domain/operations/ceilings/index.ts";
import { containersOf } from "#src/domain/workspaces/containers/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { abandonSession } from "#src/domain/workspaces/shells/index.ts";
import { UPLOAD_FIRST } from "#src/http/chat-message.ts";
import { ENDED, FAILED, POLICY } from "#src/lib/close-codes.ts";
import { AppError, type ErrorCode } from "#src/lib/errors.ts";
import { parseJson, safeParseJson } from "#src/lib/parse-json.ts";
import { PING, PONG } from "#src/lib/socket-ping.ts";
import { Conversation } from "./chat/conversation.ts";
import { aboutFrame, readChatFrame } from "./chat/frames.ts";
import { TaskFeeds } from "./chat/task-feeds.ts";
import { Connection } from "./connection.ts";
import { ContainerLog } from "./container-log.ts";
import { FileNotices } from "./file-notices.ts";
import { HeldSessions } from "./held-sessions.ts";
import {
  ClientFrame,
  isShownTasks,
  isToldOfFiles,
  Opening,
  OPENING_HEADER,
  TAKEN,
  type ProjectNotice,
  type ProjectSocketsObject,
  type SocketState,
  type TerminalInput,
} from "./protocol.ts";
import { objectServices } from "#durable-objects/lib/object-services.ts";
import type { Services } from "#src/services.ts";
import { SCOPES } from "./scopes.ts";
import { Terminal } from "./terminal.ts";

/** Most characters of one frame of a client. */
const MAX_FRAME = 64 * 1024;
const TOO_MANY = "Too many sockets are open on this project: close one";

/** Errors of a user who has lost access to the project, or part of it. */
const CLOSED_TO_THEM: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["not_found", "forbidden"]);

/** A socket with what it shows. */
interface Seat {
  connection: Connection;
  terminal: Terminal;
  log: ContainerLog;
  conversation: Conversation;
}

/**
 * One object per project: its open sockets with their terminals, logs and chats. A socket carries its own state;
 * storage holds only the sessions of terminals, until they are over. Streams keep the object awake; otherwise it
 * hibernates.
 */
export class ProjectSockets extends DurableObject<object> implements ProjectSocketsObject {
  readonly #projectId: string;
  readonly #services: Services;
  readonly #held: HeldSessions;
  readonly #feeds: TaskFeeds;
  readonly #fileNotices: FileNotices;
  readonly #seats = new Map<WebSocket, Seat>();

  constructor(ctx: DurableObjectState, bindings: object) {
    super(ctx, bindings);
    this.#projectId = ctx.id.name ?? ctx.id.toString();
    this.#services = objectServices(bindings);
    this.#held = new HeldSessions(ctx.storage.kv);
    this.#feeds = new TaskFeeds(this.#services, (...failure) => {
      for (const { conversation } of this.#all()) conversation.failed(...failure);
    });
    this.#fileNotices = new FileNotices((paths) => this.#tellOfFiles(paths));
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    // After an eviction the streams resume where they were.
    for (const socket of ctx.getWebSockets()) this.#goOn(this.#seatOf(socket));
  }

  // ── RPC: notices

  notify(notice: ProjectNotice): void {
    for (const { connection, log } of this.#all()) {
      connection.send({ type: "status_update", payload: notice });
      // A restarted container writes to its log again.
      void log.goOn();
    }
  }

  filesChanged(paths: readonly string[] | null): void {
    if (this.ctx.getWebSockets().length > 0) this.#fileNotices.add(paths);
  }

  #tellOfFiles(paths: readonly string[] | null): void {
    for (const { connection } of this.#all()) {
      const { kind, readsFiles } = connection.state;
      if (!isToldOfFiles(kind) || readsFiles !== true) continue;
      connection.send({ type: "files_changed", ...(paths && { paths: [...paths] }) });
    }
  }

  taskBegan(taskId: string): void {
    this.#feeds.wake(taskId);
    this.ctx.waitUntil(this.#lookForTasks([taskId]));
  }

  // ── HTTP: open a socket

  override async fetch(request: Request): Promise<Response> {
    const opening = parseJson(decodeURIComponent(request.headers.get(OPENING_HEADER) ?? ""), Opening);
    const { 0: client, 1: server } = new WebSocketPair();
    const { kind, userId, standing, readsFiles, shown, shared } = opening;
    const { MAX_SOCKETS_PER_PROJECT } = this.#services.config;
    const hasMost = isFull(this.ctx.getWebSockets(userId).length, MAX_SOCKETS_PER_PROJECT);
    // For server-sent events the Worker can still return a status.
    if (hasMost && kind === "events") return new Response(null, { status: 409 });
    this.ctx.acceptWebSocket(server, [userId]);
    const state = { kind, userId, standing, readsFiles, checkedAt: Date.now(), terminal: null, log: null };
    const seat = this.#sit(this.#connect(server, { ...state, shown, shared }));
    if (hasMost) {
      seat.connection.tell(new AppError("conflict", TOO_MANY));
      seat.connection.close(POLICY);
    } else {
      await this.#schedule();
      this.#welcome(seat, opening);
    }
    return new Response(null, { status: 101, webSocket: client });
  }

  #welcome(seat: Seat, { kind, wish, resume, shown }: Opening): void {
    if (kind === "terminal") {
      if (wish.session !== null) this.#release(wish.session, seat);
      void seat.terminal.begin(wish);
    }
    if (kind === "logs") this.#try(seat, () => this.#listContainers(seat.connection));
    if (isShownTasks(kind)) this.#try(seat, () => seat.conversation.begin(resume ?? [], shown));
  }

  /** Shows running tasks, and the named ones, on sockets that asked for tasks and do not show them yet. */
  async #lookForTasks(named: readonly string[]): Promise<void> {
    const seats = this.#all().filter(({ connection }) => isShownTasks(connection.state.kind));
    if (seats.length === 0) return;
    try {
      const userIds = [...new Set(seats.map(({ connection }) => connection.state.userId))];
      const withShared = seats.some(({ connection }) => connection.state.shared === true);
      const tasks = await liveTasks(this.#services.db, this.#projectId, { userIds, named, withShared });
      await Promise.all(
        seats.map(async ({ conversation }) => {
          for (const task of tasks) await conversation.follow(task);
        }),
      );
    } catch (error) {
      // The next check finds the tasks that run then.
      this.#services.log.warn("running tasks could not be read", {
        project_id: this.#projectId,
        cause: error,
      });
    }
  }

  // ── Sockets

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const seat = this.#seatOf(socket);
    const { connection } = seat;
    connection.heard();
    if (typeof message !== "string" || message.length > MAX_FRAME) {
      const limit = `Frames are text of at most ${MAX_FRAME} characters`;
      const isChat = connection.state.kind === "conversation";
      connection.tell(new AppError("invalid_input", isChat ? `${limit}; ${UPLOAD_FIRST}` : limit));
      return connection.close(POLICY);
    }
    if (connection.state.kind === "conversation") {
      return this.#try(
        seat,
        async () => seat.conversation.take(readChatFrame(message)),
        () => aboutFrame(message),
      );
    }
    const frame = safeParseJson(message, ClientFrame)?.value;
    const { kind } = connection.state;
    if (!frame || !TAKEN[kind].has(frame.type)) {
      const taken = [...TAKEN[kind]].join(", ");
      return connection.send({ type: "error", message: `Not a frame of this socket; it accepts ${taken}` });
    }
    this.#try(seat, () => this.#take(seat, frame));
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    // The client waits for the reply to its close.
    socket.close(ENDED.code, ENDED.reason);
    await this.#leave(socket);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#leave(socket);
  }

  async #take({ connection, terminal, log }: Seat, frame: ClientFrame): Promise<void> {
    switch (frame.type) {
      case "ping":
        return connection.send({ type: "pong" });
      case "open_terminal":
        return terminal.begin({ ...NEW_TERMINAL, target: frame.target ?? null });
      case "input":
        terminal.type(frame.data);
        if (!connection.state.terminal) await terminal.begin(NEW_TERMINAL);
        return;
      case "resize":
        return terminal.resize(frame.cols, frame.rows);
      case "select":
        return terminal.select(frame.target_id);
      case "switch_container":
        await this.#requireAccess(
          await renewCaller(this.#services, connection.state.standing),
          "container.view",
        );
        return log.switchTo(frame.container_id);
    }
  }

  async #listContainers(connection: Connection): Promise<void> {
    const containers = await containersOf(this.#services.db, this.#projectId);
    const data = containers.map(({ id, name, status, containerType }) => ({
      id,
      name,
      status,
      type: containerType,
    }));
    connection.send({ type: "containers", data });
  }

  /** Reports a failed request of a client to it; the socket stays open while the client has access to the project. */
  #try(seat: Seat, act: () => Promise<void>, about: () => ReturnType<typeof aboutFrame> = () => ({})): void {
    const { connection } = seat;
    act().catch(async (error: unknown) => {
      if (!(error instanceof AppError)) {
        this.#services.log.error("socket failed", { project_id: this.#projectId, cause: error });
      }
      // The close also tells a client whose sign-in is over.
      if (error instanceof AppError && error.code === "unauthenticated") return connection.fail(error);
      // The user may have lost access to the whole project; the check reports that and closes the socket.
      if (error instanceof AppError && CLOSED_TO_THEM.has(error.code)) await this.#check(seat);
      connection.tell(error, about());
    });
  }

  /**
   * Ends the terminals of other sockets that show a session when a socket resumes it: they are lost, or the user moved
   * on.
   */
  #release(session: string, taker: Seat): void {
    const { userId } = taker.connection.state;
    for (const { connection, terminal } of this.#all()) {
      const { state } = connection;
      if (state.userId === userId && state.terminal?.session === session) terminal.release();
    }
  }

  async #leave(socket: WebSocket): Promise<void> {
    const { terminal, log, conversation } = this.#seatOf(socket);
    this.#seats.delete(socket);
    log.stop();
    conversation.leave();
    if (terminal.part(Date.now())) await this.#schedule();
    await terminal.note().catch((error: unknown) => {
      this.#services.log.warn("activity could not be recorded", {
        project_id: this.#projectId,
        cause: error,
      });
    });
  }

  // ── Alarm: check access again, and give up sessions that were not resumed

  override async alarm(): Promise<void> {
    try {
      await this.#schedule();
      await Promise.all([...this.#all().map((seat) => this.#check(seat)), this.#giveUp()]);
      this.#feeds.goOn();
      await this.#lookForTasks([]);
    } catch (error) {
      this.#services.log.error("the check of the sockets failed", {
        project_id: this.#projectId,
        cause: error,
      });
    }
  }

  /** Checks whether this user still has the access that the socket needs. */
  async #check(seat: Seat): Promise<void> {
    const { connection, terminal } = seat;
    const { kind, standing, checkedAt, terminal: shown, log } = connection.state;
    try {
      const caller = await renewCaller(this.#services, standing);
      const role = await this.#requireAccess(caller, SCOPES[kind]);
      // One that is being opened checks this itself: to be refused it does not end the socket.
      if (shown && shown.phase !== "opening") await this.#requireAccess(caller, "terminal.access");
      if (log) await this.#requireAccess(caller, "container.view");
      const readsFiles = isToldOfFiles(kind) && isAuthorized(caller, "file.read", role);
      connection.keep({ checkedAt: Date.now(), readsFiles });
      await terminal.note();
      this.#goOn(seat);
    } catch (error) {
      if (!isRefusal(error)) {
        this.#services.log.warn("access could not be checked", { project_id: this.#projectId, cause: error });
        if (Date.now() - checkedAt > TRUST_MS) connection.close(FAILED);
        return;
      }
      seat.log.stop();
      seat.conversation.leave();
      connection.fail(error);
      await terminal.end();
    }
  }

  async #requireAccess(caller: Caller, scope: Scope): Promise<Role> {
    return (await requireProject(this.#services, caller, this.#projectId, scope)).role;
  }

  async #giveUp(): Promise<void> {
    const now = Date.now();
    const shown = new Set(this.#all().map(({ connection }) => connection.state.terminal?.session));
    for (const { id, position, until } of this.#held.all()) {
      if (shown.has(id)) continue;
      // The session's socket was lost without a close.
      if (until === null) this.#held.put(id, { position, until: now });
      else if (until <= now) await this.#abandon(id);
    }
  }

  async #abandon(id: string): Promise<void> {
    try {
      await abandonSession(this.#services, { id, projectId: this.#projectId });
      this.#held.delete(id);
    } catch (error) {
      // The next check tries again; in the end the sweep of idle sessions ends it.
      this.#services.log.warn("a held session could not be ended", {
        project_id: this.#projectId,
        cause: error,
      });
    }
  }

  /** Schedules the next check while there are sockets or held sessions. */
  async #schedule(): Promise<void> {
    const isIdle = this.ctx.getWebSockets().length === 0 && this.#held.all().length === 0;
    if (isIdle) return;
    const next = Date.now() + this.#services.config.SOCKET_CHECK_SECONDS * 1000;
    const set = await this.ctx.storage.getAlarm();
    if (set === null || set > next) await this.ctx.storage.setAlarm(next);
  }

  // ── The sockets that are open

  #goOn({ connection, terminal, log, conversation }: Seat): void {
    void terminal.goOn();
    void log.goOn();
    if (isShownTasks(connection.state.kind)) conversation.goOn();
  }

  #all(): Seat[] {
    return this.ctx.getWebSockets().map((socket) => this.#seatOf(socket));
  }

  #seatOf(socket: WebSocket): Seat {
    return this.#seats.get(socket) ?? this.#sit(this.#connect(socket));
  }

  #connect(socket: WebSocket, state?: SocketState): Connection {
    const lastPing = () => this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return new Connection(socket, lastPing, state);
  }

  #sit(connection: Connection): Seat {
    const [project, deps] = [this.#projectId, this.#services];
    const seat = {
      connection,
      terminal: new Terminal(connection, project, deps, this.#held),
      log: new ContainerLog(connection, project, deps),
      conversation: new Conversation(connection, project, deps, this.#feeds),
    };
    this.#seats.set(connection.socket, seat);
    return seat;
  }
}

const NEW_TERMINAL: TerminalInput = { target: null, session: null, position: null, columns: 80, rows: 24 };
