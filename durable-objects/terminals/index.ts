import { DurableObject } from "cloudflare:workers";
import { readFrame, type ClientFrame } from "#src/channels/cli/index.ts";
import { commandLineCaller, takeFrame } from "#src/domain/conversations/command-line/index.ts";
import { isFull } from "#src/domain/operations/ceilings/index.ts";
import { isRefusal, TRUST_MS, type KeyCaller } from "#src/domain/access/permissions/index.ts";
import { ENDED, FAILED, POLICY } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { PING, PONG } from "#src/lib/socket-ping.ts";
import { objectServices } from "#durable-objects/lib/object-services.ts";
import { migrate } from "#durable-objects/lib/sql-migrations.ts";
import type { Services } from "#src/services.ts";
import { Client } from "./client.ts";
import { FRAME_TABLES, FrameStore } from "./frame-store.ts";
import {
  Opening,
  OPENING_HEADER,
  type ClientState,
  type PushedFrame,
  type TerminalsObject,
} from "./protocol.ts";

/** Its versions, oldest first; steps are only appended. */
const SCHEMA = [FRAME_TABLES];
/** Most bytes of one frame of a client. */
const MAX_FRAME = 16 * 1024;
/** Most frames of one client that are not stored yet. */
const MAX_WAITING = 20;

/**
 * One object per user: the sockets of command-line clients, and the frames for them, which a client that was away gets when
 * it is back. It hibernates between frames; an alarm checks whether the keys behind the sockets may still be used.
 */
export class Terminals extends DurableObject<object> implements TerminalsObject {
  readonly #services: Services;
  readonly #clients = new Map<WebSocket, Client>();
  #opened: FrameStore | undefined;

  constructor(ctx: DurableObjectState, bindings: object) {
    super(ctx, bindings);
    this.#services = objectServices(bindings, ctx);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  // ── RPC: frames for the clients

  async push({ body, projectId, nonce, isTransient }: PushedFrame): Promise<number> {
    if (isTransient) {
      this.ctx.waitUntil(this.#deliver(projectId, body));
      return 0;
    }
    const id = this.#frames.add({ body, projectId, nonce }, Date.now());
    this.ctx.waitUntil(this.#deliver(projectId));
    await this.#schedule();
    return id;
  }

  /** Sends what is stored, and a transient frame, to the clients of a project's keys, once their access was checked. */
  async #deliver(projectId: string | null, transient?: string): Promise<void> {
    const clients = this.#all().filter(({ state }) => state.projectId === projectId);
    await Promise.all(
      clients.map(async (client) => {
        if (!(await this.#check(client))) return;
        client.catchUp(this.#frames);
        if (transient !== undefined) client.sendText(transient);
      }),
    );
  }

  // ── HTTP: open a socket

  override async fetch(request: Request): Promise<Response> {
    const { after, ...opening } = parseJson(
      decodeURIComponent(request.headers.get(OPENING_HEADER) ?? ""),
      Opening,
    );
    const { MAX_COMMAND_LINE_SOCKETS_PER_USER: most } = this.#services.config;
    if (isFull(this.ctx.getWebSockets().length, most)) return new Response(null, { status: 409 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    const now = Date.now();
    const { lastId } = this.#frames;
    // An id that no frame has yet would hide later frames.
    const sent = Math.min(after ?? lastId, Math.max(lastId, now - 1));
    const connected = this.#connect(server, { ...opening, sent, checkedAt: now });
    await this.#schedule();
    // A client that loses the connection before its first frame resumes here.
    connected.send({ type: "status", status: "connected", last_id: sent });
    connected.catchUp(this.#frames);
    return new Response(null, { status: 101, webSocket: client });
  }

  // ── Sockets

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const client = this.#clientOf(socket);
    client.heard();
    if (typeof message !== "string" || new TextEncoder().encode(message).byteLength > MAX_FRAME) {
      client.tell(new AppError("invalid_input", `Frames are text of at most ${MAX_FRAME} bytes`));
      return client.close(POLICY);
    }
    if (client.waiting >= MAX_WAITING) {
      client.tell(new AppError("rate_limited", "Too many messages are on their way"));
      return client.close(POLICY);
    }
    await client.inTurn(() => this.#receive(client, message));
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    // The client waits for the reply to its close.
    socket.close(ENDED.code, ENDED.reason);
    this.#clients.delete(socket);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    this.#clients.delete(socket);
  }

  /** Handles a frame. Never throws: failures are reported to the client. */
  async #receive(client: Client, text: string): Promise<void> {
    let frame: ClientFrame | undefined;
    try {
      frame = readFrame(text);
      if (frame.kind === "ping") return client.send({ type: "pong" });
      const caller = await this.#callerOf(client);
      if (!caller) return;
      const decision = await this.#services.rateLimits.take("key", caller.keyId);
      if (decision?.allowed === false) {
        const { retryAfterSeconds } = decision;
        throw new AppError("rate_limited", "Rate limit exceeded", { retryAfterSeconds });
      }
      await takeFrame(this.#services, caller, client.state, frame);
      client.send({ type: "accepted", ...(frame.clientId !== undefined && { client_id: frame.clientId }) });
    } catch (error) {
      if (!(error instanceof AppError)) {
        this.#services.log.error("a frame of the command line failed", { cause: error });
      }
      client.tell(error, frame?.clientId);
    }
  }

  /**
   * The key behind a socket, which is closed when the key may no longer be used. Throws `unavailable` and the like when that
   * cannot be checked.
   */
  async #callerOf(client: Client): Promise<KeyCaller | undefined> {
    try {
      const caller = await commandLineCaller(this.#services, client.state);
      client.keep({ checkedAt: Date.now() });
      return caller;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      client.fail(error);
      return undefined;
    }
  }

  /** Whether more may be sent to a client. A database outage does not end it at once. */
  async #check(client: Client): Promise<boolean> {
    try {
      return (await this.#callerOf(client)) !== undefined;
    } catch (error) {
      this.#services.log.warn("the access of a command-line client could not be checked", { cause: error });
      if (Date.now() - client.state.checkedAt > TRUST_MS) client.close(FAILED);
      return client.isOpen;
    }
  }

  // ── Alarm: check access again, and forget old frames

  override async alarm(): Promise<void> {
    try {
      await this.#schedule();
      await Promise.all(this.#all().map((client) => this.#check(client)));
      if (this.#frames.forget(Date.now()) === undefined && this.ctx.getWebSockets().length === 0) {
        this.#opened = undefined; // this instance outlives its tables
        await this.ctx.storage.deleteAll();
      }
    } catch (error) {
      this.#services.log.error("the check of command-line clients failed", { cause: error });
    }
  }
  /** Schedules the next check while there are sockets, else the time when the next frame is too old. */
  async #schedule(): Promise<void> {
    const now = Date.now();
    const isIdle = this.ctx.getWebSockets().length === 0;
    const next = isIdle ? this.#frames.forget(now) : now + this.#services.config.SOCKET_CHECK_SECONDS * 1000;
    const set = await this.ctx.storage.getAlarm();
    if (next !== undefined && (set === null || set > next)) await this.ctx.storage.setAlarm(next);
  }

  // ── The clients that are connected

  #all(): Client[] {
    return this.ctx.getWebSockets().map((socket) => this.#clientOf(socket));
  }

  #clientOf(socket: WebSocket): Client {
    return this.#clients.get(socket) ?? this.#connect(socket);
  }

  #connect(socket: WebSocket, state?: ClientState): Client {
    const lastPing = () => this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    const client = new Client(socket, lastPing, state);
    this.#clients.set(socket, client);
    return client;
  }

  get #frames(): FrameStore {
    if (!this.#opened) {
      migrate(this.ctx.storage, SCHEMA);
      this.#opened = new FrameStore(this.ctx.storage.sql);
    }
    return this.#opened;
  }
}
