import { systemClock, type Clock } from "./clock.ts";
import { answerTo, requestOver, type Method } from "./http/request.ts";
import type { Answer, Arguments, PathOf, RequestOptions, RouteName, RouteOf } from "./http/route.ts";
import { socketsOver } from "./http/sockets.ts";
import { createTransport, type Transport } from "./http/transport.ts";
import { openChat, type Chat, type ChatOptions } from "./live/chat.ts";
import type { SocketSource } from "./live/connection.ts";
import { openTerminal, type Terminal, type TerminalOptions } from "./live/terminal.ts";
import type { WorkspaceOptions } from "./options.ts";
import { account, sessions, usage } from "./resources/account.ts";
import { agents } from "./resources/agents.ts";
import { approvals } from "./resources/approvals.ts";
import { channels } from "./resources/channels.ts";
import { chats } from "./resources/chats.ts";
import { containers } from "./resources/containers.ts";
import { deployments } from "./resources/deployments.ts";
import { files } from "./resources/files.ts";
import { git } from "./resources/git.ts";
import { keys } from "./resources/keys.ts";
import { projects } from "./resources/projects.ts";
import { schedules } from "./resources/schedules.ts";
import { snapshots } from "./resources/snapshots.ts";
import { tasks } from "./resources/tasks.ts";
import { teams } from "./resources/teams.ts";

/**
 * A client of one service for one caller. Its methods have the words of the API, and give the API's JSON as it is.
 *
 * @example
 * const workspace = new Workspace({ baseUrl: "https://workspace.example.com", apiKey: process.env.WORKSPACE_API_KEY });
 * const task = await workspace.tasks.invoke({ project_id, message: "Write a haiku to poem.txt" });
 * for await (const event of task.events()) console.log(event.id, event.type);
 * console.log((await task.result()).response);
 */
export class Workspace {
  /** Where the service is. */
  readonly baseUrl: string;
  declare readonly account: ReturnType<typeof account>;
  declare readonly agents: ReturnType<typeof agents>;
  declare readonly approvals: ReturnType<typeof approvals>;
  declare readonly channels: ReturnType<typeof channels>;
  declare readonly chats: ReturnType<typeof chats>;
  declare readonly containers: ReturnType<typeof containers>;
  declare readonly deployments: ReturnType<typeof deployments>;
  declare readonly files: ReturnType<typeof files>;
  declare readonly git: ReturnType<typeof git>;
  declare readonly keys: ReturnType<typeof keys>;
  declare readonly projects: ReturnType<typeof projects>;
  declare readonly schedules: ReturnType<typeof schedules>;
  declare readonly sessions: ReturnType<typeof sessions>;
  declare readonly snapshots: ReturnType<typeof snapshots>;
  declare readonly tasks: ReturnType<typeof tasks>;
  declare readonly teams: ReturnType<typeof teams>;
  declare readonly usage: ReturnType<typeof usage>;
  readonly #transport: Transport;
  readonly #sockets: SocketSource;

  /** Throws a `TypeError` for options that contradict one another, and for an address that is none. */
  constructor(options: WorkspaceOptions, clock: Clock = systemClock) {
    const transport = createTransport(options, clock);
    const request = requestOver(transport);
    this.baseUrl = transport.base;
    this.#transport = transport;
    this.#sockets = socketsOver(transport, options.WebSocket);
    this.account = account(request);
    this.agents = agents(request);
    this.approvals = approvals(request);
    this.channels = channels(request, transport);
    this.chats = chats(request, transport);
    this.containers = containers(request);
    this.deployments = deployments(request, transport);
    this.files = files(request, transport);
    this.git = git(request);
    this.keys = keys(request, transport);
    this.projects = projects(request, transport);
    this.schedules = schedules(request, transport);
    this.sessions = sessions(request);
    this.snapshots = snapshots(request);
    this.tasks = tasks(transport);
    this.teams = teams(request, transport);
    this.usage = usage(request);
  }

  /**
   * Sends a request to any route and resolves to the body of its answer: JSON, text or bytes. Paths have their parameters
   * in braces, as in the API reference.
   *
   * @example
   * const team = await workspace.request("POST", "/api/teams", { body: { name: "Compilers" } });
   * const { url } = await workspace.request("GET", "/api/projects/{project}/dev-server-url", { path: { project } });
   */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: Arguments<RouteOf<M, P>>
  ): Promise<Answer<RouteOf<M, P>>>;
  /** The same for a path that this version does not know. */
  request<P extends string>(
    method: string,
    path: P & (`${Method} ${P}` & RouteName extends never ? unknown : never),
    options?: RequestOptions,
  ): Promise<unknown>;
  request(method: string, path: string, options?: RequestOptions): Promise<unknown> {
    return answerTo(this.#transport, { ...options, method, template: path });
  }

  /**
   * As `request`, but resolves to the whole answer, for its headers, or to read its body as a stream. An answer with an
   * error's status rejects, as in `request`.
   */
  response(method: Method, path: string, options?: RequestOptions): Promise<Response> {
    return this.#transport.send(
      { ...options, method, template: path, isStream: true },
      async (answer) => answer,
    );
  }

  /**
   * Opens the chats of a project over a socket: messages, approvals, and the events of all tasks.
   *
   * @example
   * await using chat = workspace.chat(project);
   * const { task_id } = await chat.send({ message: "Fix the failing test" });
   * for await (const { taskId, event } of chat.events()) {
   *   if (taskId === task_id && event.type === "done") break;
   * }
   */
  chat(project: string, options: ChatOptions = {}): Chat {
    return openChat(this.#sockets, project, { clock: this.#transport.clock, ...options });
  }

  /**
   * Opens a terminal in a project.
   *
   * @example
   * await using terminal = workspace.terminal(project, { columns: 80, rows: 24 });
   * terminal.write("ls\r");
   * for await (const { data } of terminal.output()) process.stdout.write(data);
   */
  terminal(project: string, options: TerminalOptions = {}): Terminal {
    return openTerminal(this.#sockets, project, { clock: this.#transport.clock, ...options });
  }
}
