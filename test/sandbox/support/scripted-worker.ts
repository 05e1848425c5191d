import { ProjectSandbox } from "#durable-objects/project-sandbox/index.ts";

interface Bindings {
  SCRIPTED_SANDBOX: DurableObjectNamespace<ScriptedSandbox>;
  /** Starts and ends workspace servers of this machine, one for each container. */
  CONTROL: string;
}

interface Server {
  url: string;
  diskId: string;
}

/**
 * A container of the platform as far as the SDK uses it: its server is one of this machine's. It outlives the objects that
 * hold it, so it keeps no promise for long: one belongs to the object that has made it.
 */
class ScriptedContainer {
  readonly #control: string;
  running = false;
  #secretHash = "";
  #server: Server | undefined;
  #monitors: (() => void)[] = [];

  constructor(control: string) {
    this.#control = control;
  }

  start({ env = {} }: ContainerStartupOptions = {}): void {
    this.running = true;
    this.#secretHash = env["WORKSPACE_SECRET_SHA256"] ?? "";
    this.#monitors = [];
    this.#server = undefined;
    void this.#ask("start");
  }

  async #ask(verb: "start" | "again"): Promise<void> {
    const response = await fetch(`${this.#control}/${verb}/${this.#secretHash}`);
    this.#server = await response.json();
  }

  monitor(): Promise<void> {
    return new Promise((resolve) => this.#monitors.push(resolve));
  }

  async destroy(): Promise<void> {
    this.running = false;
    this.#server = undefined;
    await fetch(`${this.#control}/end`);
    for (const ended of this.#monitors.splice(0)) ended();
  }

  /** The server falls, and is started again over the same disk. */
  async crash(): Promise<void> {
    await this.#ask("again");
    this.#monitors = [];
  }

  /** Another one runs in its place. */
  async swap(): Promise<void> {
    await this.#ask("start");
    this.#monitors = [];
  }

  signal(): void {
    void this.destroy();
  }

  getTcpPort(): Pick<Fetcher, "fetch"> {
    return { fetch: (input: string | Request, init?: RequestInit) => this.#fetch(new Request(input, init)) };
  }

  async #fetch(request: Request): Promise<Response> {
    if (!this.#server) throw new Error("the container is not listening");
    const { url, diskId } = this.#server;
    const { pathname, search } = new URL(request.url);
    const target = `${url}${pathname}${search}`;
    if (pathname !== "/commands") return fetch(target, request);
    // Every disk of this machine is the same one.
    const body = (await request.text()).replace("/var/lib/workspace/disk-id", diskId);
    return fetch(target, { method: "POST", body, headers: request.headers, signal: request.signal });
  }
}

const containers = new Map<string, ScriptedContainer>();

export class ScriptedSandbox extends ProjectSandbox {
  constructor(ctx: DurableObjectState<{}>, bindings: Bindings) {
    const id = ctx.id.name ?? "";
    const container = containers.get(id) ?? new ScriptedContainer(`${bindings.CONTROL}/${id}`);
    containers.set(id, container);
    Object.defineProperty(ctx, "container", { value: container });
    super(ctx, bindings);
  }

  override async fetch(request: Request): Promise<Response> {
    switch (new URL(request.url).pathname) {
      case "/test/end-container":
        await containers.get(this.ctx.id.name ?? "")?.destroy();
        return new Response();
      case "/test/container":
        return Response.json({ running: containers.get(this.ctx.id.name ?? "")?.running });
      case "/test/expire":
        await this.onActivityExpired();
        return new Response();
      case "/test/crash":
        await containers.get(this.ctx.id.name ?? "")?.crash();
        this.ctx.abort("crashed");
        return new Response();
      case "/test/swap-container":
        await containers.get(this.ctx.id.name ?? "")?.swap();
        this.ctx.abort("crashed");
        return new Response();
      default:
        return this.#answer(request);
    }
  }

  /**
   * Reads the body of what is refused without a look at it: else workerd ends the connection while the client still sends,
   * which may lose the answer. Objects of production are called without connections. A body without a length may never end.
   */
  async #answer(request: Request): Promise<Response> {
    const response = await super.fetch(request);
    const isUnread = !response.ok && !request.bodyUsed && request.headers.has("content-length");
    if (isUnread) await request.body?.pipeTo(new WritableStream()).catch(() => {});
    return response;
  }
}

// oxlint-disable-next-line import/no-default-export -- what a Worker is
export default {
  fetch(request, { SCRIPTED_SANDBOX }) {
    const { pathname, search } = new URL(request.url);
    const [, , id = "", ...rest] = pathname.split("/");
    const url = `http://project-sandbox/${rest.join("/")}${search}`;
    return SCRIPTED_SANDBOX.getByName(id).fetch(new Request(url, request));
  },
} satisfies ExportedHandler<Bindings>;
